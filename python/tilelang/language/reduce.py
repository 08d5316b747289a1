"""Reductions and scans of a tile along one dimension."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.frontend.state import fail

from .buffer import Buffer
from .options import as_hints, const_int, older_keywords
from .tile import builder_of, tile

_KINDS = ("sum", "abssum", "max", "absmax", "min", "bitand", "bitor", "bitxor")


def reduce(
    buffer: Buffer,
    out: Buffer,
    reduce_type: str,
    dim: int,
    clear: bool,
    batch: int = 1,
    annotations: dict | None = None,
) -> None:
    """Reduces dimension `dim` of `buffer` into `out`, which drops the dimension or keeps it as 1.

    `reduce_type` is sum, abssum, max, absmax, min, bitand, bitor or bitxor. With `clear` false the old contents of
    `out` take part. A NaN makes max and min NaN. Raises `ValueError` for a wrong output shape, memory, dimension or
    type.
    """
    builder = builder_of("T.reduce")
    if reduce_type not in _KINDS:
        fail(ValueError, 52, f"Invalid reduce type `{reduce_type}`", help="use one of " + ", ".join(_KINDS))
    fn.builder_reduce(
        builder.h,
        reduce_type,
        tile(buffer, f"T.reduce_{reduce_type}", "buffer"),
        tile(out, f"T.reduce_{reduce_type}", "out"),
        const_int(dim, "the dimension of a reduction"),
        bool(clear),
        as_hints(annotations, batch=None if batch == 1 else batch),
    )


def reduce_max(
    buffer: Buffer,
    out: Buffer,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: dict | None = None,
) -> None:
    """The largest element along `dim`; NaN where there is one, whatever `nan_propagate` says."""
    reduce(buffer, out, "max", dim, clear, batch, annotations)


def reduce_min(
    buffer: Buffer,
    out: Buffer,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: dict | None = None,
) -> None:
    """The smallest element along `dim`; NaN where there is one, whatever `nan_propagate` says."""
    reduce(buffer, out, "min", dim, clear, batch, annotations)


def reduce_absmax(
    buffer: Buffer,
    out: Buffer,
    dim: int = -1,
    clear: bool = True,
    batch: int = 1,
    nan_propagate: bool = False,
    annotations: dict | None = None,
) -> None:
    """The largest magnitude along `dim`; NaN where there is one, whatever `nan_propagate` says."""
    reduce(buffer, out, "absmax", dim, clear, batch, annotations)


@older_keywords(nan_propagate="a sum with a NaN is NaN")
def reduce_sum(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """The sum along `dim`, in any order; floats narrower than 32 bits are summed in float32."""
    reduce(buffer, out, "sum", dim, clear, batch, annotations)


def reduce_abssum(buffer: Buffer, out: Buffer, dim: int = -1, batch: int = 1, annotations: dict | None = None) -> None:
    """The sum of magnitudes along `dim`."""
    reduce(buffer, out, "abssum", dim, True, batch, annotations)


def reduce_bitand(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """Bitwise and along `dim`; integers and bools."""
    reduce(buffer, out, "bitand", dim, clear, batch, annotations)


def reduce_bitor(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """Bitwise or along `dim`; integers and bools."""
    reduce(buffer, out, "bitor", dim, clear, batch, annotations)


def reduce_bitxor(
    buffer: Buffer, out: Buffer, dim: int = -1, clear: bool = True, batch: int = 1, annotations: dict | None = None
) -> None:
    """Bitwise exclusive or along `dim`; integers and bools."""
    reduce(buffer, out, "bitxor", dim, clear, batch, annotations)


def _scan(kind: str, src: Buffer, dst: Buffer | None, dim: int, reverse: bool, annotations: dict | None) -> None:
    builder = builder_of(f"T.cum{kind}")
    as_hints(annotations)
    source = tile(src, f"T.cum{kind}", "src")
    fn.builder_scan(
        builder.h,
        kind,
        source,
        source if dst is None else tile(dst, f"T.cum{kind}", "dst"),
        const_int(dim, "the dimension of a scan"),
        bool(reverse),
    )


def cumsum(
    src: Buffer, dst: Buffer | None = None, dim: int = 0, reverse: bool = False, annotations: dict | None = None
) -> None:
    """Prefix sums along `dim`, in any order, from the end on with `reverse`; in place without `dst`.

    Tiles of one shape in shared memory or fragments. Floats narrower than 32 bits are summed in float32. Raises
    `ValueError` for another shape, memory or dimension.
    """
    _scan("sum", src, dst, dim, reverse, annotations)


def cummax(
    src: Buffer, dst: Buffer | None = None, dim: int = 0, reverse: bool = False, annotations: dict | None = None
) -> None:
    """The largest element so far along `dim`, as `cumsum`; NaN from the first NaN on."""
    _scan("max", src, dst, dim, reverse, annotations)
