"""Sums of rows in a vector with one element a column."""

import tilelang.language as T


@T.prim_func
def row_sums(A: T.Tensor((64, 32), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_fragment((64, 32), "float32")
        sums = T.alloc_fragment((32,), "float32")
        T.copy(A, tile)
        T.reduce_sum(tile, sums, dim=1)
        T.copy(sums, B)
