"""A program for AI cores, compiled for the processor."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((4,), "float32")):
    with T.Kernel(4) as bx:
        A[bx] = 1.0


tilelang.compile(fill, target="c")
