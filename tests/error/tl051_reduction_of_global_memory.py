"""A reduction on tensors that were never copied to a tile."""

import tilelang.language as T


@T.prim_func
def row_sums(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        T.reduce_sum(A, B, dim=1)
