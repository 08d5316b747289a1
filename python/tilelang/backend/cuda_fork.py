"""Kernels in processes made by `fork`: the CUDA driver does not work in the child of a process that has started it."""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any

from tilelang._ffi import fn
from tilelang.errors import error_class

from . import cuda

__all__ = ["follow"]

_kernels: weakref.WeakSet = weakref.WeakSet()
_useless = False


def follow(kernel: Any) -> None:
    """Makes calls of a loaded CUDA kernel, through its `_run` and `_extents`, an error in forked children, and here if
    this is one. Costs a call nothing."""
    _kernels.add(kernel)
    if _useless:
        _disable(kernel)


def _disable(kernel: Any) -> None:
    kernel._run = kernel._extents = _refuse
    fn.tensor_classes_close()  # every call goes the long way from now on, where it is refused


def _refuse(*_args: Any) -> None:
    raise error_class(RuntimeError)(
        "CUDA cannot be used in a child made by fork of a process that has used CUDA already; start processes with "
        "multiprocessing.get_context('spawn'), or fork before CUDA is used"
    )


def _driver_is_started() -> bool:
    torch = sys.modules.get("torch")
    return bool(cuda.devices.cache_info().currsize and cuda.devices()) or (
        torch is not None and torch.cuda.is_initialized()
    )


def _after_fork_in_child() -> None:
    global _useless
    if _driver_is_started():
        _useless = True
        for kernel in list(_kernels):
            _disable(kernel)


os.register_at_fork(after_in_child=_after_fork_in_child)
