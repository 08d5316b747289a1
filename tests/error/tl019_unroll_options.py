"""Two ways of unrolling at once."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.unroll(64, explicit=True, unroll_factor=4):
            A[i] = 0.0
