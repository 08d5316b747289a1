"""Calls of CUDA kernels from Python, on a driver without a GPU: `tests/fake_cuda` records what it is asked."""

from __future__ import annotations

import ctypes
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import tvm_ffi
from source_tree import ROOT
from tilelang._ffi import fn


@T.prim_func
def scale(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), factor: T.float32):
    with T.Kernel(2, threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i] * factor


class _DLTensor(ctypes.Structure):
    """`DLManagedTensor` of DLPack, of one dimension."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class OnGpu:
    """A float32 array that says it is on a GPU; nothing touches its memory."""

    def __init__(self, extent: int, device: int = 0, skipped: int = 0):
        """`skipped` elements of the memory, which is aligned to 16 bytes, lie before the first."""
        self.shape, self.device = (ctypes.c_int64 * 1)(extent), device
        self.strides = (ctypes.c_int64 * 1)(1)
        self.memory = (ctypes.c_float * (extent + skipped + 4))()
        begin = ctypes.addressof(self.memory)
        self.address = begin + -begin % 16 + 4 * skipped
        self.managed = _DLTensor(self.address, 2, device, 1, 2, 32, 1, self.shape, self.strides, 0, None, None)

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor", None)


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    """The fake driver, with a function that writes its launches as text."""
    folder = tmp_path_factory.mktemp("fake_cuda")
    source = folder / "launches.cpp"
    source.write_text(
        '#include "fake_cuda/fake_cuda.cpp"\n'
        "FAKE const char* tl_fake_cuda_launches() {\n"
        "  static std::string text;\n"
        "  std::ostringstream out;\n"
        "  for (const auto& l : state().launches) {\n"
        "    out << l.symbol << ' ' << l.device << ' ' << reinterpret_cast<uint64_t>(l.stream) << ' ' << l.grid[0]\n"
        "        << ' ' << l.block[0];\n"
        "    for (const uint64_t word : l.params) out << ' ' << word;\n"
        "    out << '\\n';\n"
        "  }\n"
        "  return (text = out.str()).c_str();\n"
        "}\n"
        "FAKE void tl_fake_cuda_devices(int count) { state().devices.resize(count); }\n"
        "FAKE void tl_fake_cuda_fail(const char* entry, int error) { state().fail_next[entry] = error; }\n"
    )
    out = folder / "libcuda.so.1"
    command = ["g++", "-std=c++20", "-shared", "-fPIC", "-O0", f"-I{ROOT / 'tests'}", "-o", out, source]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def driver(library, monkeypatch):
    """A fresh fake driver of two devices, which the library uses."""
    monkeypatch.setenv("TILELANG_LIBCUDA", str(library))
    loaded = ctypes.CDLL(str(library))
    loaded.tl_fake_cuda_launches.restype = ctypes.c_char_p
    loaded.tl_fake_cuda_reset()
    loaded.tl_fake_cuda_devices(2)
    return loaded


def launches(driver) -> list[list]:
    lines = driver.tl_fake_cuda_launches().decode().splitlines()
    return [[words[0], *map(int, words[1:])] for words in map(str.split, lines)]


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
