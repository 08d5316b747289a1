"""A matrix product through L1 whose right operand is K x N."""

import tilelang.ascend.language as T


@T.prim_func
def matmul(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1):
        a, b = T.alloc_l1((64, 64), "float16"), T.alloc_l1((64, 64), "float16")
        c = T.alloc_l0c((64, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, clear_accum=True)
        T.copy(c, C)
