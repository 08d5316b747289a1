"""Nested parallel loops with a statement between them."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            scale = A[i, 0] + 1.0
            for j in T.Parallel(32):
                A[i, j] = A[i, j] * scale
