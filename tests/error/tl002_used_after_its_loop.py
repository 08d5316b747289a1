"""A value that ends with the loop that made it."""

import tilelang.language as T


@T.prim_func
def last(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.serial(64):
            x = A[i] * 2.0
        B[0] = x
