"""Products summed in a type that cannot hold the sums."""

import tilelang.language as T


@T.prim_func
def matmul(A: T.Tensor((64, 64), "bfloat16"), B: T.Tensor((64, 64), "bfloat16"), C: T.Tensor((64, 64), "bfloat16")):
    with T.Kernel(1, threads=128):
        A_shared = T.alloc_shared((64, 64), "bfloat16")
        B_shared = T.alloc_shared((64, 64), "bfloat16")
        C_local = T.alloc_fragment((64, 64), "bfloat16")
        T.copy(A, A_shared)
        T.copy(B, B_shared)
        T.gemm(A_shared, B_shared, C_local, clear_accum=True)
        T.copy(C_local, C)
