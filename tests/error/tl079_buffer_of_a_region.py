"""A buffer of a region that is used behind it."""

import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        with T.SimtVF(threads=64):
            tile = T.alloc_shared((64,), "float32")
            for i in T.Parallel(64):
                tile[i] = 1.0
        T.copy(tile, A)
