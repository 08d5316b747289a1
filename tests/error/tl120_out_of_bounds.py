"""An index from data that leaves a tile: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def gather(indices: T.Tensor((64,), "int32"), A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64,), "float32")
        T.copy(A, tile)
        for i in T.Parallel(64):
            A[i] = tile[indices[i]]


kernel = tilelang.compile(gather, target="interpret")
kernel(np.arange(1, 65, dtype=np.int32), np.ones(64, np.float32))
