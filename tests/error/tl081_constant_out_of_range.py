"""A constant that the element type cannot hold."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "int8")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = 300
