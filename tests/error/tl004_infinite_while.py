"""A loop that counts with a Python number, which does not change at run time."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        n = 0
        while n < 64:
            A[n] = 0.0
            n += 1
