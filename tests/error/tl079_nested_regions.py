"""A region of vector threads in another one."""

import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((64,), "float32")):
    with T.Kernel(1), T.SimtVF(threads=64):
        with T.SimtVF(threads=32):
            for i in T.Parallel(64):
                A[i] = 1.0
