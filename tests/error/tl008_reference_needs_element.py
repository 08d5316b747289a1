"""A value where a macro wants a place to store to."""

import tilelang.language as T


@T.macro
def increment(x: T.Ref):
    x = x + 1.0


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            increment(A[i] * 2.0)
