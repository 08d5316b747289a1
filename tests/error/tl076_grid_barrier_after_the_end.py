"""A program that data lets end before the barrier: found when it runs."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "int32")):
    with T.Kernel(4, threads=32) as bx:
        if A[bx] > 0:
            T.sync_grid()


tilelang.compile(main, target="interpret")(np.array([1, 1, 0, 1], np.int32))
