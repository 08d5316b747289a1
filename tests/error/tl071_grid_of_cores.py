"""A grid of AI cores with two dimensions."""

import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((4, 4), "float32")):
    with T.Kernel(4, 4) as (bx, by):
        A[bx, by] = 0.0
