"""A tile that the scalar code of a core does not reach."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def look(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1):
        tile = T.alloc_l1((64, 64), "float16")
        T.copy(A, tile)
        T.print(tile)


tilelang.compile(look, target="ascend")
