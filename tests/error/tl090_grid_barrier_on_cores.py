"""A barrier of all programs of a launch of AI cores."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def meet(A: T.Tensor((4,), "float32")):
    with T.Kernel(4) as bx:
        A[bx] = 1.0
        T.sync_grid()
        A[bx] = A[3 - bx]


tilelang.compile(meet, target="ascend")
