"""Setting tiles to one value."""

from __future__ import annotations

from tilelang._ffi import fn

from .copy import BufferLikeType
from .expr import PrimExpr, need_operand
from .options import as_hints
from .tile import builder_of, tile


def fill(buffer: BufferLikeType, value: PrimExpr, annotations: dict | None = None):
    """Sets every element of a buffer or region to `value`, converted to its dtype. Raises `ValueError` past the end."""
    builder = builder_of("T.fill")
    as_hints(annotations)
    fn.builder_fill(builder.h, tile(buffer, "T.fill", "buffer"), need_operand(value, "T.fill: the value"))


def clear(buffer: BufferLikeType, annotations: dict | None = None):
    """Sets every element of a buffer or region to zero."""
    builder = builder_of("T.clear")
    as_hints(annotations)
    fn.builder_fill(builder.h, tile(buffer, "T.clear", "buffer"), 0)
