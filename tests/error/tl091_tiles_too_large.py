"""Tiles that no core has room for."""

import tilelang
import tilelang.language as T


@T.prim_func
def fill(A: T.Tensor((1 << 40,), "float32")):
    with T.Kernel(1, threads=128):
        small = T.alloc_shared((256,), "float32")
        tile = T.alloc_shared((1 << 40,), "float32")
        T.copy(A[0:256], small)
        T.copy(A, tile)
        T.copy(tile, A)


tilelang.compile(fill, target="c")
