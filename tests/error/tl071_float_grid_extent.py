"""A grid extent from a division that gives a float."""

import tilelang.language as T

N = 1000


@T.prim_func
def main(A: T.Tensor((N,), "float32")):
    with T.Kernel(N / 64, threads=64) as bx:
        for i in T.Parallel(64):
            A[bx * 64 + i] = 0.0
