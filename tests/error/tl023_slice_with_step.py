"""Every second element by a slice."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        T.copy(A[0:64:2], B)
