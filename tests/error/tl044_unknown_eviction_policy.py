"""An option that does not exist."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((128,), "float32")
        T.copy(A, tile, eviction_policy="evict_never")
        T.copy(tile, A)
