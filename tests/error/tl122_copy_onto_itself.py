"""A copy that shifts a tile within itself."""

import tilelang
import tilelang.language as T


@T.prim_func
def shift(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64,), "float32")
        T.copy(A, tile)
        T.copy(tile[n : n + 16], tile[n + 4 : n + 20])
        T.copy(tile, A)


tilelang.compile(shift, target="c")
