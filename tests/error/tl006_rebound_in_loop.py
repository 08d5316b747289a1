"""A sum in a name that is bound once."""

import tilelang.language as T


@T.prim_func
def total(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=64):
        s = A[0]
        for i in T.serial(1, 64):
            s = s + A[i]
        B[0] = s
