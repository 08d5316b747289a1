"""A function of float64, which the vector threads of a core do not have."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def growth(A: T.Tensor((64,), "float64")):
    with T.Kernel(1), T.SimtVF(threads=64):
        for i in T.Parallel(64):
            A[i] = T.exp(A[i])


tilelang.compile(growth, target="ascend")
