"""Functions of the user that rewrite generated source before it is compiled: `function(code, target) -> code`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilelang.errors import error_class

_registered: dict[str, Callable[[str, Any], str]] = {}


def _register(kind: str, function: Callable[[str, Any], str], override: bool) -> None:
    if kind in _registered and not override:
        raise error_class(ValueError)(f"a rewriter of {kind} source is already registered; pass override=True")
    _registered[kind] = function


def _decorator(kind: str, function_or_flag: Callable | bool | None, override: bool):
    def decorate(function: Callable) -> Callable:
        _register(kind, function, override)
        return function

    if function_or_flag is None or isinstance(function_or_flag, bool):
        override = override if function_or_flag is None else function_or_flag
        return decorate
    if not callable(function_or_flag):
        raise error_class(TypeError)(f"Invalid decorator usage: {function_or_flag!r} is not callable")
    return decorate(function_or_flag)


def rewriter_for(target: str) -> Callable[[str, Any], str] | None:
    """The rewriter of the source for one of the compiler's targets (`"host"`, `"sm_90a"`, ...), or None."""
    kinds = {"host": "c", "ascend950": "ascend"}
    return _registered.get("cuda" if target.startswith("sm_") else kinds.get(target, target))


def unregister(kind: str) -> None:
    """Forgets the rewriter of a kind ("c", "cuda", "ascend", "hip", "metal")."""
    _registered.pop(kind, None)


def register_c_postproc(func: Callable[[str, Any], str], override: bool = True) -> None:
    """Registers the rewriter of the host's C++ source. Kernels compiled with one are not kept on disk."""
    _register("c", func, override)


def register_cuda_postproc(func: Callable[[str, Any], str], override: bool = True) -> None:
    """Registers the rewriter of CUDA source."""
    _register("cuda", func, override)


def register_ascend_postproc(func: Callable[[str, Any], str], override: bool = True) -> None:
    """Registers the rewriter of Ascend C source."""
    _register("ascend", func, override)


def register_hip_postproc(func: Callable[[str, Any], str], override: bool = True) -> None:
    """Registers the rewriter of HIP source."""
    _register("hip", func, override)


def register_metal_postproc(func: Callable[[str, Any], str], override: bool = True) -> None:
    """Registers the rewriter of Metal source."""
    _register("metal", func, override)


def register_c_postproc_callback(func: Callable | bool | None = None, override: bool = True):
    """The decorator form of `register_c_postproc`, with or without arguments."""
    return _decorator("c", func, override)


def register_cuda_postproc_callback(func: Callable | bool | None = None, override: bool = True):
    """The decorator form of `register_cuda_postproc`."""
    return _decorator("cuda", func, override)


def register_ascend_postproc_callback(func: Callable | bool | None = None, override: bool = True):
    """The decorator form of `register_ascend_postproc`."""
    return _decorator("ascend", func, override)


def register_hip_postproc_callback(func: Callable | bool | None = None, override: bool = True):
    """The decorator form of `register_hip_postproc`."""
    return _decorator("hip", func, override)


def register_metal_postproc_callback(func: Callable | bool | None = None, override: bool = True):
    """The decorator form of `register_metal_postproc`."""
    return _decorator("metal", func, override)
