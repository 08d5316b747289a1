"""Threads of a branch that exchange elements, where no barrier can be: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def reverse(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding(0)
        tile = T.alloc_shared((64,), "float32")
        if tx < 32:
            tile[tx] = A[tx]
            A[tx] = tile[31 - tx]


kernel = tilelang.compile(reverse, target="interpret")
kernel(np.ones(64, np.float32))
