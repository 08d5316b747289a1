"""TileLang: a tile-kernel language embedded in Python, with a compiler of its own.

    import tilelang
    import tilelang.language as T

Everything here is loaded when it is first asked for: importing the package costs neither the compiled library, nor
NumPy, nor PyTorch.
"""

from __future__ import annotations

import importlib
import sys
import types

from . import logger as _logger
from ._version import __version__
from .env import disable_cache, enable_cache, env, get_runtime_library_dirs, is_cache_enabled, prepend_dll_search_path
from .logger import set_log_level
from .math import cdiv, next_power_of_2

# Name of the package -> (module, name there; empty: the module itself).
_LAZY = {
    "jit": ("tilelang.jit", "jit"),
    "compile": ("tilelang.jit", "compile"),
    "par_compile": ("tilelang.jit", "par_compile"),
    "JITKernel": ("tilelang.jit.kernel", "JITKernel"),
    "JITImpl": ("tilelang.jit.impl", "JITImpl"),
    "Profiler": ("tilelang.profiler", "Profiler"),
    "TensorSupplyType": ("tilelang.utils.tensor", "TensorSupplyType"),
    "PassConfigKey": ("tilelang.transform.pass_config", "PassConfigKey"),
    "lower": ("tilelang.engine.lower", "lower"),
    "register_cuda_postproc": ("tilelang.engine.callback", "register_cuda_postproc"),
    "register_hip_postproc": ("tilelang.engine.callback", "register_hip_postproc"),
    "register_c_postproc": ("tilelang.engine.callback", "register_c_postproc"),
    "deprecated": ("tilelang.utils.deprecation", "deprecated"),
    "build_date": ("tilelang.utils.deprecation", "build_date"),
    "DataType": ("tilelang.dtypes", "dtype"),
    "TileLangError": ("tilelang.errors", "TileLangError"),
    "InternalError": ("tilelang.errors", "InternalError"),
    "JITNoBuilderError": ("tilelang.errors", "JITNoBuilderError"),
    "EagerJITBuildError": ("tilelang.errors", "EagerJITBuildError"),
    "tvm": ("tilelang.tvm", ""),
}
_SUBMODULES = frozenset(
    "backend cache dtypes engine errors frontend language libinfo math profiler testing transform utils".split()
)


def __getattr__(name: str):
    if name in _LAZY:
        module, attribute = _LAZY[name]
        found = importlib.import_module(module)
        value = getattr(found, attribute) if attribute else found
        globals()[name] = value
        return value
    if name in _SUBMODULES:
        return importlib.import_module(f"tilelang.{name}")
    raise AttributeError(f"module 'tilelang' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_SUBMODULES})


class _Package(types.ModuleType):
    """Importing a submodule sets it as an attribute of its package; here `tilelang.jit` and `tilelang.env` stay the
    function
    and the object that users know, whoever imports the modules of the same names."""

    def __setattr__(self, name: str, value) -> None:
        if name in ("jit", "env") and isinstance(value, types.ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
_logger.configure()

__all__ = [
    "__version__",
    "cdiv",
    "disable_cache",
    "enable_cache",
    "env",
    "get_runtime_library_dirs",
    "is_cache_enabled",
    "next_power_of_2",
    "prepend_dll_search_path",
    "set_log_level",
    *_LAZY,
]
