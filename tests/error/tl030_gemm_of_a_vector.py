"""A vector as an operand of a matrix product."""

import tilelang.language as T


@T.prim_func
def matvec(A: T.Tensor((128, 32), "float16"), x: T.Tensor((32,), "float16"), y: T.Tensor((128, 1), "float32")):
    with T.Kernel(1, threads=128):
        A_shared = T.alloc_shared((128, 32), "float16")
        x_shared = T.alloc_shared((32,), "float16")
        y_local = T.alloc_fragment((128, 1), "float32")
        T.copy(A, A_shared)
        T.copy(x, x_shared)
        T.gemm(A_shared, x_shared, y_local, clear_accum=True)
        T.copy(y_local, y)
