"""A matrix product with a number of rows that the cube unit's fractals do not divide."""

import tilelang.ascend.language as T


@T.prim_func
def matmul(A: T.Tensor((24, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((24, 64), "float32")):
    with T.Kernel(1):
        a, b = T.alloc_l1((24, 64), "float16"), T.alloc_l1((64, 64), "float16")
        c = T.alloc_l0c((24, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, transpose_B=True, clear_accum=True)
        T.copy(c, C)
