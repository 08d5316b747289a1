"""A slice that leaves its tile."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((48, 32), "float32")
        T.copy(A[0:32, 0:32], tile[32:64, 0:32])
        T.copy(tile, A[0:48, 0:32])
