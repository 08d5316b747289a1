"""`tvm.testing` and `tvm.testing.utils`: the decorators of `tilelang.testing`."""

import sys

from tilelang.testing.requirements import (
    requires_ascend,
    requires_cuda,
    requires_llvm,
    requires_metal,
    requires_package,
    requires_rocm,
)

# `tvm.testing.utils` is this module under its other name.
__path__: list[str] = []
utils = sys.modules[__name__ + ".utils"] = sys.modules[__name__]

__all__ = [
    "requires_ascend",
    "requires_cuda",
    "requires_llvm",
    "requires_metal",
    "requires_package",
    "requires_rocm",
    "utils",
]
