"""A rasterisation order that does not exist."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(8, 8, threads=64) as (bx, by):
        T.use_swizzle(4, order="diagonal")
        A[bx, by] = 0.0
