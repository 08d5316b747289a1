"""A slice whose bounds are the wrong way round."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        T.copy(A[32:16], B[0:16])
