"""A product accumulated into its own operand."""

import tilelang.language as T


@T.prim_func
def square(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        B = T.alloc_shared((64, 64), "float32")
        C = T.alloc_fragment((64, 64), "float32")
        T.copy(A, B)
        T.copy(A, C)
        T.gemm(C, B, C)
        T.copy(C, A)
