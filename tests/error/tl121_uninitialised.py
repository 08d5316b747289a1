"""A sum that does not start at zero: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def row_sums(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        sums = T.alloc_fragment((64,), "float32")
        for k in T.serial(32):
            for i in T.Parallel(64):
                sums[i] += A[i, k]
        T.copy(sums, B)


kernel = tilelang.compile(row_sums, out_idx=[1], target="interpret")
kernel(np.ones((64, 32), np.float32))
