"""Conveniences for test files of kernels."""

from __future__ import annotations

import sys

from tilelang.utils.tensor import torch_assert_close

from .performance import process_func, regression
from .requirements import (
    ascend_backend_compiled,
    requires_ascend,
    requires_cdna,
    requires_cuda,
    requires_cuda_compute_version,
    requires_cuda_compute_version_eq,
    requires_cuda_compute_version_ge,
    requires_cuda_compute_version_gt,
    requires_cuda_compute_version_le,
    requires_cuda_compute_version_lt,
    requires_cuda_or_cdna,
    requires_gfx950,
    requires_llvm,
    requires_metal,
    requires_package,
    requires_rocm,
)

__all__ = [
    "ascend_backend_compiled",
    "main",
    "process_func",
    "regression",
    "requires_ascend",
    "requires_cdna",
    "requires_cuda",
    "requires_cuda_compute_version",
    "requires_cuda_compute_version_eq",
    "requires_cuda_compute_version_ge",
    "requires_cuda_compute_version_gt",
    "requires_cuda_compute_version_le",
    "requires_cuda_compute_version_lt",
    "requires_cuda_or_cdna",
    "requires_gfx950",
    "requires_llvm",
    "requires_metal",
    "requires_package",
    "requires_rocm",
    "set_random_seed",
    "torch_assert_close",
]


def set_random_seed(seed: int = 42) -> None:
    """Seeds Python's random numbers, NumPy's, and PyTorch's on all devices where the process uses PyTorch."""
    import random

    import numpy

    random.seed(seed)
    numpy.random.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
        if torch.cuda.is_available():
            torch.cuda.manual_seed_all(seed)


def main() -> None:
    """Runs pytest on the file that calls this, with the arguments of the command line, and ends with its status."""
    import inspect

    import pytest

    file = inspect.getsourcefile(sys._getframe(1))
    sys.exit(pytest.main([str(file), *sys.argv[1:]]))
