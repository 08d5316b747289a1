"""Four mistakes, reported together."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64,), "int8")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64, 32), "float16")
        sums = T.alloc_fragment((32,), "float32")
        T.copy(A, tile)
        T.reduce_sum(tile, sums, dim=1)
        for i in T.Parallel(64):
            B[i] = 1000
            B[i, 0] = 1
