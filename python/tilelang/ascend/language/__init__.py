"""The kernel language of the Ascend 950, imported as `import tilelang.ascend.language as T`.

It is the common language with a launch of AI cores, regions of vector threads, and the core's memories.
"""

# ruff: noqa: F401  (the names imported here are the language)

from __future__ import annotations

import tilelang.language as _common

from . import missing as _missing
from .allocate import alloc_l0a, alloc_l0b, alloc_l0c, alloc_l1, alloc_shared
from .copy import copy
from .gemm import gemm, gemm_v1, gemm_v2
from .kernel import Kernel
from .loop import Parallel, Persistent, Unroll, unroll
from .print_values import print
from .reductions import reduce_absmax, reduce_max, reduce_min
from .region import SimtVF, SimtVFFrame

__tilelang_dialect__ = "ascend"

# Submodules are reached by import; they are not part of the language.
_modules = {
    "allocate",
    "kernel",
    "loop",
    "missing",
    "options",
    "print_values",
    "reductions",
    "region",
}
_own = {name for name in globals() if not name.startswith("_")} - _modules - {"annotations"}
_shared = {name for name in _common.__all__ if name not in _own and name not in _missing.absent()} - {"JITFunc"}
globals().update({name: getattr(_common, name) for name in _shared})
__all__ = sorted(_own | _shared | {"JITFunc"})


def __getattr__(name: str):
    if name == "JITFunc":
        return _common.JITFunc
    raise _missing.error(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_missing.names()})
