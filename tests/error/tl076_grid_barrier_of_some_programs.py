"""A barrier of all tile programs that one of them reaches: on a device they would wait for ever."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "float32")):
    with T.Kernel(4, threads=32) as bx:
        if bx == 0:
            A[0] = 1.0
            T.sync_grid()


tilelang.compile(main, target="interpret")
