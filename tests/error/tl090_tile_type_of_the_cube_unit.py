"""A tile of int16 in a memory of the cube unit."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def load(A: T.Tensor((64, 64), "int16")):
    with T.Kernel(1):
        tile = T.alloc_l1((64, 64), "int16")
        T.copy(A, tile)


tilelang.compile(load, target="ascend")
