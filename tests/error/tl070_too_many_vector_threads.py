"""A region of more threads than a core's vector unit runs."""

import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((4096,), "float32")):
    with T.Kernel(1), T.SimtVF(threads=(64, 64)):
        for i in T.Parallel(4096):
            A[i] = 0.0
