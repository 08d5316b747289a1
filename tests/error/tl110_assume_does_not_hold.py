"""A promise to the compiler that is not kept: found by the interpreter."""

import numpy as np
import tilelang
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n,), "float32")):
    with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
        T.assume(n % 64 == 0)
        for i in T.Parallel(64):
            A[bx * 64 + i] = 0.0


kernel = tilelang.compile(main, target="interpret")
kernel(np.ones(100, np.float32))
