"""A store of the core's scalar code that would change the type of a value."""

import tilelang.ascend.language as T


@T.prim_func
def count(A: T.Tensor((4,), "float32"), n: T.int32):
    with T.Kernel(4) as bx:
        A[bx] = n + bx
