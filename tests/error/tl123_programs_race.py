"""Tile programs of one launch that update one element: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def total(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
    with T.Kernel(64, threads=32) as bx:
        B[0] = B[0] + A[bx]


kernel = tilelang.compile(total, target="interpret")
kernel(np.ones(64, np.float32), np.zeros(1, np.float32))
