"""Three names for the indices of a grid of two dimensions."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(8, 8, threads=64) as (bx, by, bz):
        for i, j in T.Parallel(8, 8):
            A[bx * 8 + i, by * 8 + j] = 0.0
