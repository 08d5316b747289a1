"""A macro called with too few arguments."""

import tilelang.language as T


@T.macro
def scale(A, i, factor):
    A[i] = A[i] * factor


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            scale(A, i)
