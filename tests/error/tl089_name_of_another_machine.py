"""An operation of GPUs in the dialect for the Ascend 950."""

import tilelang.ascend.language as T


@T.prim_func
def multiply(A: T.Tensor((1,), "float32")):
    with T.Kernel(1):
        A[0] = T.fma(A[0], A[0], A[0])
