"""An argument that the body does not declare as a tensor."""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def double(A):
    B = T.empty((64,), "float32")
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * 2.0
    return B


double(np.ones(64, np.float32))
