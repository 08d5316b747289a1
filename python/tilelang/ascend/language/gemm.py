"""Matrix products on the cube unit."""

from __future__ import annotations

from tilelang.language.copy import BufferLikeType
from tilelang.language.expr import PrimExpr
from tilelang.language.gemm import GemmWarpPolicy, product

from .options import unit_flag


def gemm(
    A: BufferLikeType,
    B: BufferLikeType,
    C: BufferLikeType,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = GemmWarpPolicy.Square,
    clear_accum: bool = False,
    unit_flag_ctrl: int | PrimExpr | None = None,
    annotations: dict | None = None,
):
    """C += op(A) op(B): op(A) is M x K, op(B) K x N, C an M x N tile of L0C; `clear_accum` starts from zero.

    A and B lie in L1, as M x K and N x K with transpose_B=True, or in L0A and L0B, either way round. M and N are
    multiples of 16, K of 32 bytes. `policy` says nothing here. Raises `ValueError` for other memories, forms and
    dtypes, `AssertionError` where M, N or K differ.
    """
    annotations = dict(annotations or {})
    given = annotations.pop("unit_flag_ctrl", unit_flag_ctrl)
    flag = None if given is None else unit_flag(given, "T.gemm")
    hints = annotations if flag is None else {**annotations, "unit_flag_ctrl": flag}
    product(A, B, C, transpose_A, transpose_B, policy, clear_accum, hints)


gemm_v1 = gemm_v2 = gemm
