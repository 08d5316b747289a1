"""A number as the source of a copy."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((128,), "float32")
        T.copy(0.0, tile)
        T.copy(tile, A)
