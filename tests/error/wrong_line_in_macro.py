"""A mistake two macros deep: the calls that led there are shown."""

import tilelang.language as T


@T.macro
def load_tile(A, tile, row):
    T.copy(A[row : row + 64, 0:64], tile)


@T.macro
def load_both(A, left, right, row):
    load_tile(A, left, row)
    load_tile(A, right, row)


@T.prim_func
def main(A: T.Tensor((128, 64), "float32")):
    with T.Kernel(2, threads=64) as bx:
        left = T.alloc_shared((64, 64), "float32")
        right = T.alloc_shared((32, 64), "float32")
        load_both(A, left, right, bx * 64)
