"""Reductions in a region, with the keywords of the dialect."""

from __future__ import annotations

from tilelang.language.buffer import Buffer
from tilelang.language.reduce import reduce


def reduce_max(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """The largest element along `dim`; NaN where there is one."""
    reduce(buffer, out, "max", dim, clear, batch, annotations)


def reduce_min(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """The smallest element along `dim`; NaN where there is one."""
    reduce(buffer, out, "min", dim, clear, batch, annotations)


def reduce_absmax(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """The largest magnitude along `dim`; NaN where there is one."""
    reduce(buffer, out, "absmax", dim, clear, batch, annotations)
