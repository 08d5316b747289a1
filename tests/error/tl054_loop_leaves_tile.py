"""A loop whose last slice lies behind its tile: found when compiled."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64, 32), "float32")
        for k in T.serial(5):
            T.copy(A[k * 16 : k * 16 + 16, 0:32], tile[k * 16 : k * 16 + 16, 0:32])
        T.copy(tile, A)


tilelang.compile(main, target="c")
