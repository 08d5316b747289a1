"""Events of the CUDA driver, for machines without PyTorch."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

from tilelang.errors import error_class

__all__ = ["DriverClock"]

_OLDER_NAMES = {"cuMemAlloc", "cuMemFree", "cuCtxPushCurrent", "cuCtxPopCurrent", "cuEventDestroy"}


class _Driver:
    """Entry points of the driver by name; raises `RuntimeError` where one fails."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")

    def __call__(self, name: str, *args) -> None:
        symbol = name + "_v2" if name in _OLDER_NAMES else name
        status = getattr(self._library, symbol)(*args)
        if status != 0:
            raise error_class(RuntimeError)(f"{name} of the CUDA driver failed with status {status}")


class DriverClock:
    """Events in the default stream of a device, in the context that kernels run in."""

    def __init__(self, ordinal: int, megabytes: int):
        self._cuda = _Driver()
        self._cuda("cuInit", 0)
        device = ctypes.c_int()
        self._cuda("cuDeviceGet", ctypes.byref(device), ordinal)
        self._context = ctypes.c_void_p()
        self._cuda("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        self._bytes = megabytes << 20
        self._buffer = ctypes.c_uint64()

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        self._cuda("cuCtxPushCurrent", self._context)
        try:
            if self._bytes:
                self._cuda("cuMemAlloc", ctypes.byref(self._buffer), ctypes.c_size_t(self._bytes))
            yield
        finally:
            if self._buffer.value:
                self._cuda("cuMemFree", self._buffer)
                self._buffer.value = 0
            self._cuda("cuCtxPopCurrent", ctypes.byref(ctypes.c_void_p()))

    def flush(self) -> None:
        if self._bytes:
            size = ctypes.c_size_t(self._bytes)
            self._cuda("cuMemsetD8Async", self._buffer, ctypes.c_ubyte(0), size, ctypes.c_void_p())

    def start(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        self._cuda("cuEventCreate", ctypes.byref(event), 0)
        self._cuda("cuEventRecord", event, ctypes.c_void_p())
        return event

    def stop(self, started: ctypes.c_void_p) -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
        return started, self.start()

    def milliseconds(self, pair: tuple[ctypes.c_void_p, ctypes.c_void_p]) -> float:
        started, stopped = pair
        self._cuda("cuEventSynchronize", stopped)
        found = ctypes.c_float()
        self._cuda("cuEventElapsedTime", ctypes.byref(found), started, stopped)
        for event in pair:
            self._cuda("cuEventDestroy", event)
        return found.value
