"""`JITKernel` on CUDA devices that `tests/fake_cuda` pretends: calls, targets, streams, what is refused."""

from __future__ import annotations

import sys
import types

import pytest
import tilelang
import tilelang.language as T
from test_cuda_call import OnGpu, driver, launches, library  # noqa: F401 (fixtures)
from tilelang.backend import cuda
from tilelang.backend.target import auto_detect_target
from tilelang.testing import requires_cuda

pytestmark = requires_cuda.marks("compile-only")


@T.prim_func
def add(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    with T.Kernel(2, threads=128) as bx:
        for i in T.Parallel(128):
            C[bx * 128 + i] = A[bx * 128 + i] + B[bx * 128 + i]


@pytest.fixture
def devices(driver):  # noqa: F811
    """The fake driver's, asked for anew."""
    cuda.devices.cache_clear()
    yield driver
    cuda.devices.cache_clear()


@pytest.fixture
def kernel(monkeypatch, devices):
    """Compiled for CUDA; its binary is what the fake driver takes for one with these kernels."""
    from tilelang._ffi import fn
    from tilelang.jit.build import Request
    from tilelang.jit.kernel import JITKernel

    compiled = tilelang.compile(add, target={"kind": "cuda", "arch": "sm_90a"})
    files = {str(name): bytes(content) for name, content in fn.artifact_files(compiled.artifact).items()}
    files["kernel.cubin"] = "".join(f"{name} 3\n" for name in compiled.resource_usage).encode()
    return JITKernel._loaded(Request.of(add, target=compiled.target), fn.artifact_load(files))


def test_the_machines_devices_are_its_target(devices, monkeypatch):
    monkeypatch.delenv("TILELANG_TARGET")
    first, second = cuda.devices()
    assert (first.ordinal, second.ordinal, first.arch, first.target) == (0, 1, "sm_90", "sm_90a")
    assert first.capability == (9, 0) and cuda.current_device() is first
    assert auto_detect_target() == {"kind": "cuda", "arch": "sm_90a"}


def test_a_call(kernel, devices):
    arrays = [OnGpu(256) for _ in range(3)]
    assert kernel(*arrays) == []
    (launch,) = launches(devices)
    assert launch[1:5] == [0, 0, 2, 128] and launch[5:8] == [array.address for array in arrays]


def test_a_call_in_the_stream_of_cupy(kernel, devices, monkeypatch):
    """Arrays of a module `cupy` bring their current stream."""

    class Array(OnGpu):
        def __init__(self, extent: int):
            super().__init__(extent, 1)
            self.device = types.SimpleNamespace(id=1)

        def __dlpack_device__(self):
            return 2, 1

    Array.__module__ = "cupy._core.core"
    stream = types.SimpleNamespace(ptr=0x70)
    module = types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=lambda device: stream))
    monkeypatch.setitem(sys.modules, "cupy", module)
    kernel(*[Array(256) for _ in range(3)])
    kernel(*[OnGpu(256) for _ in range(3)])
    assert [launch[1:3] for launch in launches(devices)] == [[1, 0x70], [0, 0]]


WRONG = [
    ([OnGpu(256), OnGpu(256, 1), OnGpu(256)], "device_id violates packed ABI constraint"),
    ([OnGpu(255), OnGpu(256), OnGpu(256)], r"shape\[0\]"),
    ([OnGpu(256), None, OnGpu(256)], "non-NULL"),
    ([OnGpu(256), "text", OnGpu(256)], "expected pointer or tensor handle"),
    ([OnGpu(256), OnGpu(256)], "expected 3 inputs, but 2 are provided"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_arguments(kernel, devices, arguments, message):
    with pytest.raises((RuntimeError, ValueError), match=message) as caught:
        kernel(*arguments)
    assert isinstance(caught.value, tilelang.TileLangError) and launches(devices) == []
    kernel(*[OnGpu(256) for _ in range(3)])
    assert len(launches(devices)) == 1


def test_torch_tensors_of_the_host_are_refused(kernel, devices):
    torch = pytest.importorskip("torch")
    for _ in range(2):  # the long way of the first call, and the short one
        with pytest.raises(RuntimeError, match="device_type mismatch, expected cuda; got: cpu"):
            kernel(*[torch.zeros(256) for _ in range(3)])
