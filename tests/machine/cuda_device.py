"""Kernels on a GPU through the driver's own interface; nothing but the driver is needed."""

from __future__ import annotations

import ctypes
from functools import lru_cache

import numpy as np


@lru_cache
def driver() -> ctypes.CDLL | None:
    """The driver with a device ready; none where there is no GPU."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    context = ctypes.c_void_p()
    ready = library.cuInit(0) == 0 and library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    return library if ready and library.cuCtxSetCurrent(context) == 0 else None


def _call(name: str, *arguments: object) -> None:
    status = getattr(driver(), name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name} returned {status}")


def machine() -> str:
    """The device's target, such as "sm_90a"."""
    major, minor = (_attribute(75), _attribute(76))
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


def _attribute(number: int) -> int:
    value = ctypes.c_int()
    _call("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
    return value.value


def launch(cubin: bytes, symbol: str, blocks: int, threads: int, arrays: list[np.ndarray]) -> None:
    """Runs a kernel on copies of the arrays and copies them back."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _call("cuModuleLoadData", ctypes.byref(module), cubin)
    _call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
    addresses = [ctypes.c_uint64() for _ in arrays]
    try:
        for array, address in zip(arrays, addresses):
            _call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
            _call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        pointers = [ctypes.cast(ctypes.pointer(address), ctypes.c_void_p) for address in addresses]
        values = (ctypes.c_void_p * len(pointers))(*pointers)
        _call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, values, None)
        _call("cuCtxSynchronize")
        for array, address in zip(arrays, addresses):
            _call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(array.nbytes))
    finally:
        for address in addresses:
            if address.value:
                _call("cuMemFree_v2", address)
        _call("cuModuleUnload", module)
