"""An assertion of the program that does not hold when it runs."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def normalise(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.serial(64):
            T.device_assert(A[i] > 0.0, "weights are positive")
            B[i] = 1.0 / A[i]


kernel = tilelang.compile(normalise, out_idx=[1], target="c")
kernel(np.arange(64, dtype=np.float32))
