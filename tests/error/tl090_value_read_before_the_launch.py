"""An element that is read outside of the launch that uses it."""

import tilelang
import tilelang.language as T


@T.prim_func
def scale(factors: T.Tensor((1,), "float32"), A: T.Tensor((64,), "float32")):
    factor = factors[0]
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] * factor


tilelang.compile(scale, target="c")
