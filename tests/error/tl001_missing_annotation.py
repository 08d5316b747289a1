"""A parameter that does not say what it is."""

import tilelang.language as T


@T.prim_func
def add_one(A: T.Tensor((64,), "float32"), B):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] + 1.0
