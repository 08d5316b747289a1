"""Unsigned operands, which the cube unit of a core does not multiply."""

import tilelang.ascend.language as T


@T.prim_func
def product(A: T.Tensor((64, 64), "uint8"), C: T.Tensor((64, 64), "int32")):
    with T.Kernel(1):
        a, c = T.alloc_l1((64, 64), "uint8"), T.alloc_l0c((64, 64), "int32")
        T.copy(A, a)
        T.gemm(a, a, c, transpose_B=True, clear_accum=True)
        T.copy(c, C)
