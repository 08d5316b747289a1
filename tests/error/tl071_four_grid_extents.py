"""A grid of four dimensions."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((2, 3, 4, 5), "float32")):
    with T.Kernel(2, 3, 4, 5, threads=64) as (a, b, c, d):
        A[a, b, c, d] = 0.0
