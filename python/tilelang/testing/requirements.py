"""Decorators that skip a test where the machine lacks what it needs."""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Callable
from typing import Any

__all__ = [
    "ascend_backend_compiled",
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
]


def _skip_unless(condition: bool, reason: str):
    import pytest

    return pytest.mark.skipif(not condition, reason=reason)


class Requirement:
    """Used as `@requires_x` or `@requires_x(support_required=...)`; `.marks()` gives the marks as a list.

    `support_required` is "compile-and-run", or "compile-only" for a test that needs the compiler but no device.
    """

    def __init__(self, name: str, met: Callable[[], bool], reason: str, compiles: Callable[[], bool] | None = None):
        self.__name__ = name
        self._met, self._reason = met, reason
        self._compiles = compiles or met

    def marks(self, support_required: str = "compile-and-run") -> list:
        met = self._compiles if support_required == "compile-only" else self._met
        return [_skip_unless(met(), self._reason)]

    def __call__(self, function: Callable | None = None, *, support_required: str = "compile-and-run") -> Any:
        def decorate(f: Callable) -> Callable:
            for mark in self.marks(support_required):
                f = mark(f)
            return f

        if function is None or isinstance(function, str):
            return decorate
        return decorate(function)


def _never() -> bool:
    return False


def _has_cuda() -> bool:
    from tilelang.backend import cuda

    return bool(cuda.devices())


def _compiles_cuda() -> bool:
    from tilelang.backend import cuda

    return not cuda.status()["compiler_problem"]


_NOT_YET = "this version of tilelang does not compile for"
requires_cuda = Requirement("requires_cuda", _has_cuda, "needs a CUDA device", _compiles_cuda)
requires_rocm = Requirement("requires_rocm", _never, f"{_NOT_YET} ROCm")
requires_metal = Requirement("requires_metal", _never, f"{_NOT_YET} Metal")
requires_ascend = Requirement("requires_ascend", _never, f"{_NOT_YET} Ascend")
requires_cdna = Requirement("requires_cdna", _never, f"{_NOT_YET} ROCm")
requires_cuda_or_cdna = Requirement("requires_cuda_or_cdna", _has_cuda, "needs a CUDA device", _compiles_cuda)
requires_gfx950 = Requirement("requires_gfx950", _never, f"{_NOT_YET} ROCm")
# The host's processor, whatever compiles for it.
requires_llvm = Requirement("requires_llvm", lambda: True, "")


def ascend_backend_compiled() -> bool:
    """Whether this build can compile for Ascend."""
    return False


def requires_package(*names: str) -> Callable:
    """Skips where one of the packages cannot be imported."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return _skip_unless(not missing, f"needs the packages {', '.join(missing)}")


_COMPARISONS = {"ge": operator.ge, "gt": operator.gt, "eq": operator.eq, "le": operator.le, "lt": operator.lt}


def _compute_version() -> tuple[int, int] | None:
    """Of the first CUDA device."""
    from tilelang.backend import cuda

    found = cuda.devices()
    return found[0].capability if found else None


def requires_cuda_compute_version(major_version: int, minor_version: int = 0, mode: str = "ge") -> Callable:
    """Skips unless the device's compute capability compares so ("ge", "gt", "eq", "le", "lt") with the given one."""
    if mode not in _COMPARISONS:
        raise ValueError(f"Unsupported mode: {mode}; use one of {', '.join(_COMPARISONS)}")
    found = _compute_version()
    met = found is not None and _COMPARISONS[mode](found, (major_version, minor_version))
    return _skip_unless(met, f"needs CUDA compute capability {mode} {major_version}.{minor_version}; found {found}")


def requires_cuda_compute_version_ge(major_version: int, minor_version: int = 0) -> Callable:
    return requires_cuda_compute_version(major_version, minor_version, "ge")


def requires_cuda_compute_version_gt(major_version: int, minor_version: int = 0) -> Callable:
    return requires_cuda_compute_version(major_version, minor_version, "gt")


def requires_cuda_compute_version_eq(major_version: int, minor_version: int = 0) -> Callable:
    return requires_cuda_compute_version(major_version, minor_version, "eq")


def requires_cuda_compute_version_le(major_version: int, minor_version: int = 0) -> Callable:
    return requires_cuda_compute_version(major_version, minor_version, "le")


def requires_cuda_compute_version_lt(major_version: int, minor_version: int = 0) -> Callable:
    return requires_cuda_compute_version(major_version, minor_version, "lt")
