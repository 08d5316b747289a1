"""Tile programs that wait for each other, where these run one by one."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "float32")):
    with T.Kernel(4, threads=32) as bx:
        A[bx] = 1.0
        T.sync_grid()
        A[bx] = A[3 - bx]


tilelang.compile(main, target="c")
