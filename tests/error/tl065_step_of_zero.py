"""A loop that does not advance."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.serial(0, 64, 0):
            A[i] = 0.0
