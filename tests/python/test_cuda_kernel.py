"""`JITKernel` on CUDA devices that `tests/fake_cuda` pretends: calls, targets, streams, what is refused."""

from __future__ import annotations

import json
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import pytest
import tilelang
import tilelang.language as T
from fake_gpu import OnGpu, launches
from tilelang.backend import cuda
from tilelang.backend.target import auto_detect_target
from tilelang.testing import requires_cuda

pytestmark = requires_cuda.marks("compile-only")


@T.prim_func
def add(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    with T.Kernel(2, threads=32) as bx:
        for i in T.Parallel(128):
            C[bx * 128 + i] = A[bx * 128 + i] + B[bx * 128 + i]


@pytest.fixture
def devices(driver):
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
    # The driver records names, so the kernel of the general variant gets one of its own.
    description = json.loads(files["params.json"])
    assert [(kernel["symbol"], kernel["code"]) for kernel in description["kernels"]] == [
        ("add_kernel", i) for i in (0, 1)
    ]
    description["kernels"][1]["symbol"] = "general_kernel"
    files["params.json"] = json.dumps(description).encode()

    def built(artifact, variant, source, *_options):
        assert variant == 1 and "add_kernel" in source
        built_variants.append(variant)
        return fn.artifact_load({**files, "kernel_1.cubin": b"general_kernel 3\n"})

    built_variants = []
    fn.artifact_build_variant  # so that it is there to be replaced
    monkeypatch.setitem(fn.__dict__, "artifact_build_variant", built)
    kept = []
    kernel = JITKernel._loaded(Request.of(add, target=compiled.target), fn.artifact_load(files), kept.append)
    kernel.test_built, kernel.test_kept = built_variants, kept
    return kernel


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
    assert launch[1:5] == [0, 0, 2, 32] and launch[5:8] == [array.address for array in arrays]


def test_tensors_that_are_not_aligned_take_the_general_variant(kernel, devices):
    assert kernel.variants == ["tensors aligned to 16 bytes", "general"]
    aligned = [OnGpu(256) for _ in range(3)]
    for skipped in range(8):
        for at in range(3):
            arrays = [*aligned[:at], OnGpu(256, skipped=skipped), *aligned[at + 1 :]]
            kernel(*arrays)
            wanted = "general_kernel" if skipped % 4 else "add_kernel"
            assert launches(devices)[-1][0] == wanted, (skipped, at)
            assert launches(devices)[-1][5:8] == [array.address for array in arrays]


def test_the_general_variant_is_compiled_by_the_first_call_that_takes_it(kernel, devices):
    kernel(*[OnGpu(256) for _ in range(3)])
    assert kernel.test_built == [] and list(kernel.resource_usage) == ["add_kernel"]
    for device in (0, 1, 1):
        kernel(*[OnGpu(256, device, skipped=1) for _ in range(3)])
    assert kernel.test_built == [1], "once, for all devices"
    assert list(kernel.resource_usage) == ["add_kernel", "general_kernel"] and len(kernel.test_kept) == 1


def test_a_variant_that_cannot_be_compiled(kernel, devices, monkeypatch):
    """The error of the compiler comes out of the call, which does not end the kernel."""
    from tilelang._ffi import fn
    from tilelang.errors import error_class

    def fails(*_):
        raise error_class(RuntimeError)("error[TL092]: no compiler\nhelp: none")

    monkeypatch.setitem(fn.__dict__, "artifact_build_variant", fails)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"^error\[TL092\]: no compiler") as caught:
            kernel(*[OnGpu(256, skipped=1) for _ in range(3)])
        assert isinstance(caught.value, tilelang.TileLangError)
    kernel(*[OnGpu(256) for _ in range(3)])
    assert [launch[0] for launch in launches(devices)] == ["add_kernel"]


def test_threads_compile_a_variant_once(kernel, devices):
    def call(_):
        for _ in range(20):
            kernel(*[OnGpu(256, skipped=1) for _ in range(3)])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(call, range(8)))
    assert kernel.test_built == [1] and len(launches(devices)) == 160


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
