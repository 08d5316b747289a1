"""A warning: a sum over the iterations of a parallel loop."""

import tilelang
import tilelang.language as T


@T.prim_func
def total(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[0] += A[i]


tilelang.compile(total, target="c")
