"""A pipelined loop in a parallel one."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            for k in T.Pipelined(32, num_stages=2):
                B[i] += A[i, k]
