"""A cache policy of stores for a load."""

import tilelang.ascend.language as T


@T.prim_func
def load(A: T.Tensor((64,), "float16")):
    with T.Kernel(1):
        tile = T.alloc_shared((64,), "float16")
        T.copy(A, tile, l2_cache_ctrl="NOTALLOC_CI")
