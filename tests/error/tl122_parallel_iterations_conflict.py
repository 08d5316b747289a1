"""Iterations that read what others write: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def shift(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        row = T.alloc_shared((64,), "float32")
        T.copy(A, row)
        for i in T.Parallel(63):
            row[i] = row[i + 1]
        T.copy(row, A)


kernel = tilelang.compile(shift, target="interpret")
kernel(np.ones(64, np.float32))
