"""An accumulator the wrong way round: both extents are reported."""

import tilelang.language as T


@T.prim_func
def matmul(A: T.Tensor((128, 32), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, threads=128):
        A_shared = T.alloc_shared((128, 32), "float16")
        B_shared = T.alloc_shared((32, 64), "float16")
        C_local = T.alloc_fragment((64, 128), "float32")
        T.copy(A, A_shared)
        T.copy(B, B_shared)
        T.gemm(A_shared, B_shared, C_local, clear_accum=True)
        T.copy(C_local, C)
