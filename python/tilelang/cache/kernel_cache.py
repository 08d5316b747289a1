"""The cache as objects, one an execution backend. All of them stand for one cache: kernels have one launcher."""

from __future__ import annotations

from typing import Any

from . import store

__all__ = [
    "AscendCythonKernelCache",
    "AscendTVMFFIKernelCache",
    "CuTeDSLKernelCache",
    "CythonKernelCache",
    "KernelCache",
    "NVRTCKernelCache",
    "TVMFFIKernelCache",
    "TorchKernelCache",
]


class KernelCache:
    """A singleton: every construction of a class gives the same object."""

    execution_backend = "tvm_ffi"
    _instance: KernelCache | None = None

    def __new__(cls) -> KernelCache:
        if cls.__dict__.get("_instance") is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def cached(self, func=None, out_idx: Any = None, *args: Any, **keywords: Any):
        """`tilelang.cache.cached` with this object's execution backend."""
        from tilelang.cache import cached

        keywords.setdefault("execution_backend", self.execution_backend)
        return cached(func, out_idx, *args, **keywords)

    def clear_cache(self) -> None:
        """Forgets the kernels of this process, and removes those on disk of this version on this kind of machine."""
        store.clear()


class TVMFFIKernelCache(KernelCache):
    execution_backend = "tvm_ffi"


class CythonKernelCache(KernelCache):
    execution_backend = "cython"


class NVRTCKernelCache(KernelCache):
    execution_backend = "nvrtc"


class TorchKernelCache(KernelCache):
    execution_backend = "torch"


class CuTeDSLKernelCache(KernelCache):
    execution_backend = "cutedsl"


class AscendCythonKernelCache(KernelCache):
    execution_backend = "cython"


class AscendTVMFFIKernelCache(KernelCache):
    execution_backend = "tvm_ffi"
