"""A tile of global memory that shall go to the cube unit without a stop in L1."""

import tilelang.ascend.language as T


@T.prim_func
def load(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1):
        tile = T.alloc_l0a((64, 64), "float16")
        T.copy(A, tile)
