"""A slice larger than the tile it is copied to."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 64), "float32")):
    with T.Kernel(2, threads=128) as bx:
        tile = T.alloc_shared((32, 64), "float32")
        T.copy(A[bx * 64 : bx * 64 + 64, 0:64], tile)
        T.copy(tile, A[bx * 64, 0])
