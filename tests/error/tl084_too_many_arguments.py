"""An eager kernel called with its output."""

import numpy as np
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


x = np.ones(64, np.float32)
double(x, x)
