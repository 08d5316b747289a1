"""A reduction that does not exist."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_fragment((64, 32), "float32")
        means = T.alloc_fragment((64,), "float32")
        T.copy(A, tile)
        T.reduce(tile, means, "mean", 1, True)
        T.copy(means, B)
