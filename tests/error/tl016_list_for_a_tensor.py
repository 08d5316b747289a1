"""A Python list for a tensor of an eager kernel."""

import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    M = T.const("M")
    A: T.Tensor((M,), "float32")
    B = T.empty((M,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(M):
            B[i] = A[i] * 2.0
    return B


double([1.0, 2.0, 3.0])
