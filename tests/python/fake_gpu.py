"""A GPU that is not there: arrays that say they are on it, and `tests/fake_cuda` as its driver."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest
from source_tree import ROOT


class DLTensor(ctypes.Structure):
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
    )


class _DLManagedTensor(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class OnGpu:
    """A float32 array that says it is on a GPU; nothing touches its memory."""

    def __init__(self, extent: int, device: int = 0, skipped: int = 0):
        """`skipped` elements of the memory, which is aligned to 16 bytes, lie before the first."""
        self.shape, self.device = (ctypes.c_int64 * 1)(extent), device
        self.strides = (ctypes.c_int64 * 1)(1)
        self.memory = (ctypes.c_float * (extent + skipped + 4))()
        begin = ctypes.addressof(self.memory)
        self.address = begin + -begin % 16 + 4 * skipped
        tensor = DLTensor(self.address, 2, device, 1, 2, 32, 1, self.shape, self.strides, 0)
        self.managed = _DLManagedTensor(tensor, None, None)

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
        "FAKE int tl_fake_cuda_calls(const char* name) { return state().calls[name]; }\n"
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
