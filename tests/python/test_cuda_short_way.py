"""The short way of a call on a CUDA device that `tests/fake_cuda` pretends, with tensors that pretend to be there."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import tilelang
from exchange_tensors import Exchanged, exchange, open_short_way
from fake_gpu import OnGpu, launches
from test_cuda_fork import in_child
from test_cuda_kernel import WRONG, devices, kernel  # noqa: F401 (fixtures)
from tilelang._ffi import fn
from tilelang.backend import cuda
from tilelang.testing import requires_cuda

pytestmark = requires_cuda.marks("compile-only")


@pytest.fixture(scope="module", autouse=True)
def known():
    open_short_way()


@pytest.fixture(autouse=True)
def counts(monkeypatch):
    for name in ("short", "long"):
        monkeypatch.setattr(Exchanged, name, 0)


def arrays(device: int = 0, skipped: int = 0) -> list[Exchanged]:
    return [Exchanged(256, device, skipped) for _ in range(3)]


def reads() -> tuple[int, int]:
    return Exchanged.short, Exchanged.long


def test_a_call(kernel, devices):  # noqa: F811
    for device in (0, 1):
        given = arrays(device)
        assert kernel(*given) == []
        assert launches(devices)[-1] == [
            "add_kernel",
            device,
            Exchanged.stream(device),
            2,
            32,
            *[array.address for array in given],
        ]
        assert devices.tl_fake_cuda_current() == -1, "the thread's context is as before"
    assert reads() == (6, 0)


def test_the_general_variant(kernel, devices):  # noqa: F811
    def call(_):
        for _ in range(20):
            kernel(*arrays(skipped=1))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(call, range(8)))
    assert kernel.test_built == [1] and reads() == (480, 0)
    assert {launch[0] for launch in launches(devices)} == {"general_kernel"} and len(launches(devices)) == 160


@pytest.mark.parametrize("what", ["unreadable", "streamless"])
def test_what_cannot_go_the_short_way_goes_the_long_one(kernel, devices, monkeypatch, what):  # noqa: F811
    monkeypatch.setattr(Exchanged, what, 1)
    kernel(*arrays())
    kernel(Exchanged(256), OnGpu(256), Exchanged(256))
    assert getattr(Exchanged, what) == 0 and Exchanged.long == 5
    assert [launch[2] for launch in launches(devices)] == [Exchanged.stream(0)] * 2


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_arguments(kernel, devices, arguments, message):  # noqa: F811
    given = [Exchanged(a.shape[0], a.device) if isinstance(a, OnGpu) else a for a in arguments]
    with pytest.raises((RuntimeError, ValueError), match=message) as caught:
        kernel(*given)
    with pytest.raises(type(caught.value)) as long:
        kernel._caller.call(*given)
    assert str(caught.value) == str(long.value) and launches(devices) == []
    kernel(*arrays())
    assert len(launches(devices)) == 1


def test_a_launch_that_fails(kernel, devices):  # noqa: F811
    """It fails once: what has been tried on the short way is not tried again."""
    kernel(*arrays())
    texts = []
    for call in (kernel, kernel._caller.call):
        devices.tl_fake_cuda_fail(b"cuLaunchKernel", 1)
        with pytest.raises(tilelang.TileLangError, match=r"\[TL094\]: cannot launch kernel add") as caught:
            call(*arrays())
        texts.append((type(caught.value), str(caught.value)))
    assert texts[0] == texts[1] and len(launches(devices)) == 1 and reads() == (6, 3)
    kernel(*arrays())
    assert len(launches(devices)) == 2


def test_a_variant_that_cannot_be_compiled(kernel, devices, monkeypatch):  # noqa: F811
    def fails(*_):
        raise ValueError("no compiler today")

    monkeypatch.setitem(fn.__dict__, "artifact_build_variant", fails)
    found = []
    for call in (kernel, kernel._caller.call):
        with pytest.raises(ValueError, match="^no compiler today$") as caught:
            call(*arrays(skipped=1))
        found.append(type(caught.value))
    assert found[0] is found[1] and launches(devices) == []


def test_after_fork(kernel, devices):  # noqa: F811
    assert cuda.devices()
    kernel(*arrays())
    bound = kernel.__call__
    for call in (kernel, bound):
        assert "CUDA cannot be used in a child made by fork" in in_child(lambda: str(call(*arrays())))
    kernel(*arrays())
    assert len(launches(devices)) == 2 and reads() == (6, 0)


def test_tables_that_are_not_ours(kernel, devices):  # noqa: F811
    """Of a later major version, or without what the short way needs."""
    for changed in ({"major": 2}, {"tensor_from_object": None}, {"current_stream": None}):
        cls = type("Other", (OnGpu,), {"__dlpack_c_exchange_api__": exchange(**changed)})
        before = sys.getrefcount(cls)
        fn.tensor_class_add(id(cls))
        assert sys.getrefcount(cls) == before, "the class is not held"
        del cls.__dlpack_c_exchange_api__  # tvm_ffi would use it
        kernel(*[cls(256) for _ in range(3)])
    fn.tensor_class_add(id(OnGpu))
    assert reads() == (0, 0) and len(launches(devices)) == 3


def test_many_calls_allocate_nothing_that_stays(kernel, devices):  # noqa: F811
    given = arrays()
    kernel(*given)
    before = [sys.getrefcount(x) for x in (*given, kernel, Exchanged, None)][:-1]
    for _ in range(300):
        kernel(*given)
    assert [sys.getrefcount(x) for x in (*given, kernel, Exchanged)] == before


def test_a_closed_short_way_stays_closed(kernel):  # noqa: F811
    def call() -> str:
        fn.tensor_classes_close()
        fn.tensor_class_add(id(Exchanged))
        kernel(*arrays())
        return str(reads())

    assert in_child(call) == "(0, 3)"
