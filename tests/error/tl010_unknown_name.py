"""A misspelt name."""

import tilelang.language as T

block = 64


@T.prim_func
def main(A: T.Tensor((1024,), "float32")):
    with T.Kernel(1024 // block, threads=64) as bx:
        for i in T.Parallel(block):
            A[bx * blok + i] = 0.0
