"""An operation that does not exist."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shard((64,), "float32")
        T.copy(A, tile)
