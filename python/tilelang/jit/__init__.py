"""Compiling and calling kernels: `jit`, `compile`, `par_compile`, `JITKernel`, `JITImpl`."""

from __future__ import annotations

from tilelang.backend.target import determine_target
from tilelang.cache import cached

from . import exceptions
from .api import compile, jit, par_compile
from .exceptions import EagerJITBuildError, JITNoBuilderError
from .impl import JITImpl
from .kernel import JITKernel

__all__ = [
    "EagerJITBuildError",
    "JITImpl",
    "JITKernel",
    "JITNoBuilderError",
    "cached",
    "compile",
    "determine_target",
    "exceptions",
    "jit",
    "par_compile",
]
