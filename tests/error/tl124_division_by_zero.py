"""An integer division by zero in a macro: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T


@T.macro
def share(part, whole):
    return part // whole


@T.prim_func
def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32")):
    with T.Kernel(1, threads=8):
        for i in T.serial(8):
            B[i] = share(100, A[i])


kernel = tilelang.compile(main, out_idx=[1], target="interpret")
kernel(np.arange(8, dtype=np.int32))
