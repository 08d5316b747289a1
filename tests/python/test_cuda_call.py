"""Calls of CUDA kernels from Python, on a driver without a GPU: `tests/fake_cuda` records what it is asked."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import tvm_ffi
from fake_gpu import OnGpu, launches
from tilelang._ffi import fn
from tilelang.jit.outputs import OutputMaker


@T.prim_func
def scale(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), factor: T.float32):
    with T.Kernel(2, threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i] * factor


@pytest.fixture
def call():
    """The kernel as if it had been compiled for a GPU: its `call` of `kernel_load`, as JITKernel uses it."""
    files = {name: bytes(content) for name, content in fn.artifact_files(_host_artifact()).items()}
    description = json.loads(files["params.json"])
    description["target"] = "sm_90a"
    files = {
        "params.json": json.dumps(description).encode(),
        "device_kernel.cu": b"// as CUDA C++\n",
        "kernel.cubin": b"scale_kernel 3\n",
        "program.tl": files["program.tl"],
    }
    run, *_ = fn.kernel_load(fn.artifact_load(files))
    return run


def _host_artifact():
    return tilelang.compile(scale, target="c").artifact


def bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def test_a_launch(driver, call) -> None:
    a, b = OnGpu(256), OnGpu(256)
    call(0, a, b, 2.5)
    assert launches(driver) == [["scale_kernel", 0, 0, 2, 128, a.address, b.address, bits(2.5)]]


def test_the_stream_is_the_current_one_of_the_tensors_device(driver, call) -> None:
    a, b = OnGpu(256, 1), OnGpu(256, 1)
    with (
        tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 1), 0x50),
        tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 0x40),
    ):
        call(0, a, b, 1.0)
    call(0, a, b, 1.0)
    assert [launch[1:3] for launch in launches(driver)] == [[1, 0x50], [1, 0]]


def test_tensors_must_be_on_one_gpu(driver, call) -> None:
    with pytest.raises(RuntimeError, match="input B device_id violates packed ABI constraint; expected: 0, got: 1"):
        call(0, OnGpu(256), OnGpu(256, 1), 1.0)
    host = np.zeros(256, np.float32)
    with pytest.raises(RuntimeError, match="input A device_type mismatch, expected cuda; got: cpu"):
        call(0, tvm_ffi.from_dlpack(host), OnGpu(256), 1.0)
    with pytest.raises(RuntimeError, match="input A device_type mismatch, expected cpu; got: cuda"):
        tilelang.compile(scale, target="c")(OnGpu(256), OnGpu(256), 1.0)
    assert launches(driver) == []


def test_devices(driver) -> None:
    rows = [list(row) for row in fn.cuda_devices()]
    assert rows[0] == [0, "Fake GPU", "9.0", "sm_90a", 1 << 37, 132]
    assert [row[0] for row in rows] == [0, 1]
    assert int(fn.cuda_driver_version()) == 13000


def test_no_driver(call, monkeypatch) -> None:
    monkeypatch.setenv("TILELANG_LIBCUDA", "/no/such/libcuda.so.1")
    with pytest.raises(RuntimeError, match=r"\[TL093\]: no CUDA driver was found"):
        fn.cuda_devices()
    with pytest.raises(RuntimeError, match=r"\[TL093\]"):
        call(0, OnGpu(256), OnGpu(256), 1.0)


def test_outputs_need_a_library_that_can_allocate_them(driver, monkeypatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: False)
    with pytest.raises(tilelang.TileLangError, match="no library can allocate the kernel's outputs on the device"):
        OutputMaker(tilelang.language.dtype("float32"), on_device=True).like(OnGpu(256), [256])
