"""Matrix products of tiles."""

from __future__ import annotations

import enum
from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import fail

from .buffer import Ref
from .copy import BufferLikeType
from .expr import operand
from .options import as_hints, older_keywords
from .tile import builder_of, tile


class GemmWarpPolicy(enum.IntEnum):
    """How the warps of a block share the M x N tile: in a grid as square as possible, along the rows, or the
    columns."""

    Square = 0
    FullRow = 1
    FullCol = 2

    def is_square(self) -> bool:
        return self is GemmWarpPolicy.Square

    def is_full_row(self) -> bool:
        return self is GemmWarpPolicy.FullRow

    def is_full_col(self) -> bool:
        return self is GemmWarpPolicy.FullCol

    @classmethod
    def from_warp_partition(cls, m_warp: int, n_warp: int) -> GemmWarpPolicy:
        """The policy that gives `m_warp` x `n_warp` warps: one row of warps is FullCol, one column FullRow."""
        if n_warp == 1 and m_warp > 1:
            return cls.FullRow
        if m_warp == 1 and n_warp > 1:
            return cls.FullCol
        return cls.Square

    def compute_warp_partition(self, M: int, N: int, num_warps: int) -> tuple[int, int]:
        """Warps along M and along N, with product `num_warps`; a warp's part is at least 16 rows by 8 columns where
        possible.

        Square picks the partition whose parts are nearest to squares.
        """
        if self is GemmWarpPolicy.FullRow:
            return num_warps, 1
        if self is GemmWarpPolicy.FullCol:
            return 1, num_warps
        pairs = [(m, num_warps // m) for m in range(1, num_warps + 1) if num_warps % m == 0]
        fitting = [(m, n) for m, n in pairs if M % (16 * m) == 0 and N % (8 * n) == 0] or pairs
        return min(fitting, key=lambda p: abs(M * p[1] - N * p[0]))


_POLICY_NAMES = {
    GemmWarpPolicy.Square: "square",
    GemmWarpPolicy.FullRow: "full_row",
    GemmWarpPolicy.FullCol: "full_col",
}


@older_keywords(k_pack="the compiler chooses", wg_wait="the compiler inserts waits")
def gemm(
    A: BufferLikeType,
    B: BufferLikeType,
    C: BufferLikeType,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = GemmWarpPolicy.Square,
    clear_accum: bool = False,
    mbar: Any = None,
    annotations: dict | None = None,
):
    """C += op(A) op(B) on tiles: op(A) is M x K, op(B) K x N, C M x N; `clear_accum` starts from zero.

    Products and sums are made in the dtype of C or wider. Leading extents of 1 are ignored. Raises `AssertionError`
    where M, N or K differ (`T.gemm K shape check failed`) or an operand has fewer than two dimensions.
    """
    if mbar is not None:
        fail(
            RuntimeError, 90, "T.gemm: mbar is not available in this version", help="leave it out; T.gemm waits itself"
        )
    product(A, B, C, transpose_A, transpose_B, policy, clear_accum, annotations)


def product(A, B, C, transpose_A, transpose_B, policy, clear_accum, annotations: dict | None) -> None:
    """Emits the product; the dialects' `T.gemm` differ in the keywords they take."""
    builder = builder_of("T.gemm")
    clear = operand(clear_accum.load() if isinstance(clear_accum, Ref) else clear_accum)
    if clear is None:
        fail(TypeError, 80, f"T.gemm: clear_accum is a {type(clear_accum).__name__}, not a bool or an expression")
    name = _POLICY_NAMES[GemmWarpPolicy(policy)]
    fn.builder_gemm(
        builder.h,
        tile(A, "T.gemm", "A"),
        tile(B, "T.gemm", "B"),
        tile(C, "T.gemm", "C"),
        bool(transpose_A),
        bool(transpose_B),
        name,
        clear,
        as_hints(annotations),
    )


gemm_v1 = gemm_v2 = gemm
