"""A kernel compiled ahead of its tensors, with one constant forgotten."""

import tilelang
import tilelang.language as T


@tilelang.jit
def double(A, B):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), "float32")
    B: T.Tensor((M, N), "float32")
    with T.Kernel(1, threads=64):
        for i, j in T.Parallel(M, N):
            B[i, j] = A[i, j] * 2.0


kernel = double.compile(M=64)
