"""A whole tensor copied to a tile."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 64), "float32")):
    with T.Kernel(2, threads=128) as bx:
        tile = T.alloc_shared((64, 64), "float32")
        T.copy(A, tile)
        T.copy(tile, A[bx * 64, 0])
