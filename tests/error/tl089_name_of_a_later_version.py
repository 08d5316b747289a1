"""A region of vector registers, which this version does not have."""

import tilelang.ascend.language as T


@T.prim_func
def fill(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        with T.SimdVF():
            for i in T.Parallel(64):
                A[i] = 1.0
