"""Buffers of an AI core: the Unified Buffer, L1, and the operand and result memories of the cube unit."""

from __future__ import annotations

from tilelang.language.allocate import ShapeType, allocate_tile
from tilelang.language.buffer import Buffer


def alloc_shared(shape: ShapeType, dtype, scope="shared.dyn") -> Buffer:
    """A tile in the Unified Buffer, which copies and vector threads reach; its elements are undefined at first."""
    return allocate_tile("T.alloc_shared", shape, dtype, scope, "shared")


def alloc_l1(shape: ShapeType, dtype, scope="shared.l1") -> Buffer:
    """A tile in L1, from where the cube unit's operands come: `T.gemm` takes it, and copies bring it to L0A and L0B."""
    return allocate_tile("T.alloc_l1", shape, dtype, scope, "l1")


def alloc_l0a(shape: ShapeType, dtype, scope="shared.l0a") -> Buffer:
    """A left operand of the cube unit; copied from L1."""
    return allocate_tile("T.alloc_l0a", shape, dtype, scope, "l0a")


def alloc_l0b(shape: ShapeType, dtype, scope="shared.l0b") -> Buffer:
    """A right operand of the cube unit; copied from L1."""
    return allocate_tile("T.alloc_l0b", shape, dtype, scope, "l0b")


def alloc_l0c(shape: ShapeType, dtype, scope="shared.l0c", layout: bool = True) -> Buffer:
    """Sums of the cube unit, float32 or int32; copied to the Unified Buffer or to global memory.

    With `layout` the tile has the cube unit's fractal order. Raises `ValueError` for another dtype.
    """
    return allocate_tile("T.alloc_l0c", shape, dtype, scope, "l0c", hints={} if layout else {"layout": False})
