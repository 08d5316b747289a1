"""A copy into the Unified Buffer that would change the type of elements."""

import tilelang.ascend.language as T


@T.prim_func
def widen(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        tile = T.alloc_shared((64,), "float32")
        T.copy(A, tile)
        T.copy(tile, B)
