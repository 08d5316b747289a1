"""None for a tensor that the kernel reads."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def add_one(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        for i, j in T.Parallel(64, 32):
            B[i, j] = A[i, j] + 1.0


kernel = tilelang.compile(add_one, target="c")
kernel(None, np.ones((64, 32), np.float32))
