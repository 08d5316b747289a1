"""Compiled kernels, kept in the memory of the process and on disk."""

from __future__ import annotations

from typing import Any

from .kernel_cache import (
    AscendCythonKernelCache,
    AscendTVMFFIKernelCache,
    CuTeDSLKernelCache,
    CythonKernelCache,
    KernelCache,
    NVRTCKernelCache,
    TorchKernelCache,
    TVMFFIKernelCache,
)

__all__ = [
    "AscendCythonKernelCache",
    "AscendTVMFFIKernelCache",
    "CuTeDSLKernelCache",
    "CythonKernelCache",
    "KernelCache",
    "NVRTCKernelCache",
    "TVMFFIKernelCache",
    "TorchKernelCache",
    "cached",
]


def cached(
    func=None,
    out_idx: list[int] | int | None = None,
    *args: Any,
    target: Any = None,
    target_host: Any = None,
    execution_backend: str | None = None,
    verbose: bool | None = None,
    pass_configs: dict | None = None,
    compile_flags: Any = None,
):
    """The kernel of a traced function: from memory, else from disk, else compiled and kept in both.

    `args` belong to the key and mean nothing else.
    """
    from tilelang.jit.build import Request, compile_request

    request = Request.of(func, out_idx, target, target_host, execution_backend, verbose, pass_configs, compile_flags)
    request.extra_key = repr(args) if args else ""
    return compile_request(request)
