"""The parts of the CUDA toolkit that tests use, found where a toolkit or NVIDIA's Python packages put them."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from functools import lru_cache
from pathlib import Path

FLAGS = ("--std=c++17", "--fmad=false")


def _folders() -> list[Path]:
    toolkit = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))]
    packages = sorted(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/*"))
    return toolkit + packages


def _first(*patterns: str) -> Path | None:
    return next((path for folder in _folders() for pattern in patterns for path in sorted(folder.glob(pattern))), None)


@lru_cache
def nvrtc() -> ctypes.CDLL | None:
    """The run-time compiler; none where it is not installed."""
    path = os.environ.get("TL_NVRTC") or _first("lib64/libnvrtc.so*", "lib/libnvrtc.so*")
    try:
        return ctypes.CDLL(str(path)) if path else None
    except OSError:
        return None


@lru_cache
def nvcc() -> str | None:
    return shutil.which("nvcc")


@lru_cache
def nvdisasm() -> str | None:
    return os.environ.get("TL_NVDISASM") or shutil.which("nvdisasm") or str(_first("bin/nvdisasm") or "") or None


def _call(name: str, *arguments: object) -> None:
    status = getattr(nvrtc(), name)(*arguments)
    if status != 0 and name != "nvrtcCompileProgram":
        raise RuntimeError(f"{name} returned {status}")


def _text_of(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    _call(f"nvrtcGet{what}", program, text)
    return text.raw


def compile_with_nvrtc(source: str, arch: str) -> tuple[bytes, str]:
    program = ctypes.c_void_p()
    options = [option.encode() for option in (f"--gpu-architecture={arch}", *FLAGS)]
    _call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    try:
        _call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = _text_of(program, "ProgramLog").rstrip(b"\0\n").decode()
        return (b"" if ": error" in log else _text_of(program, "CUBIN")), log
    finally:
        _call("nvrtcDestroyProgram", ctypes.byref(program))


def compile_with_nvcc(source: str, arch: str) -> tuple[bytes, str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.cu").write_text(source)
        command = [nvcc(), "-cubin", f"-arch={arch}", *FLAGS, "-o", "kernel.cubin", "kernel.cu"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return Path(folder, "kernel.cubin").read_bytes() if done.returncode == 0 else b"", done.stdout + done.stderr


def compile(source: str, arch: str) -> tuple[bytes, str]:
    """The cubin, empty where the compiler refuses the source, and what the compiler says."""
    return (compile_with_nvcc if nvrtc() is None else compile_with_nvrtc)(source, arch)


def machine_code(cubin: bytes) -> list[str]:
    """The instructions of a cubin, one a line."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.cubin").write_bytes(cubin)
        command = [nvdisasm(), "-c", "kernel.cubin"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return re.findall(r"/\*[0-9a-f]{4,}\*/ +(.*?);", done.stdout)
