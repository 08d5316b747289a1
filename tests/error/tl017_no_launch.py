"""An eager kernel without T.Kernel."""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    M = T.const("M")
    A: T.Tensor((M,), "float32")
    B = T.empty((M,), "float32")
    for i in T.serial(M):
        B[i] = A[i] * 2.0
    return B


double(np.ones(64, np.float32))
