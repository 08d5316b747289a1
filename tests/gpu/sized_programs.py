"""Kernels over run-time sizes and strides, as users write them."""

from __future__ import annotations

import tilelang.language as T


def gemm(n: int, k: int, block: int = 64, inner: int = 32, dtype: str = "float32"):
    """C = A @ B with as many rows of A as a call has."""
    m = T.dynamic("m")

    @T.prim_func
    def gemm_kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, inner), dtype)
            b = T.alloc_shared((inner, block), dtype)
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for i in T.Pipelined(T.ceildiv(k, inner), num_stages=2):
                T.copy(A[by * block, i * inner], a)
                T.copy(B[i * inner, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])

    return gemm_kernel


def gemm_all():
    """All three extents are those of the call."""
    m, n, k = T.dynamic("m, n, k")

    @T.prim_func
    def gemm_all_kernel(A: T.Tensor((m, k), "float32"), B: T.Tensor((k, n), "float32"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float32")
            b = T.alloc_shared((32, 64), "float32")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for i in T.Pipelined(T.ceildiv(k, 32), num_stages=2):
                T.copy(A[by * 64, i * 32], a)
                T.copy(B[i * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return gemm_all_kernel


def add(dtype: str = "float32", columns: int = 256):
    """C = A + B through fragments."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def add_kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, columns), T.ceildiv(m, 4), threads=128) as (bx, by):
            a = T.alloc_fragment((4, columns), dtype)
            b = T.alloc_fragment((4, columns), dtype)
            T.copy(A[by * 4, bx * columns], a)
            T.copy(B[by * 4, bx * columns], b)
            for i, j in T.Parallel(4, columns):
                a[i, j] += b[i, j]
            T.copy(a, C[by * 4, bx * columns])

    return add_kernel


def scaled_rows(dtype: str = "float32"):
    """Y = 2 X, straight from memory to memory; X has the strides of the call."""
    m, n, row, column = T.dynamic("m, n, row, column")

    @T.prim_func
    def scaled_kernel(X: T.StridedTensor((m, n), (row, column), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, 512), m, threads=128) as (bx, by):
            for j in T.Parallel(512):
                Y[by, bx * 512 + j] = X[by, bx * 512 + j] * 2

    return scaled_kernel


def rmsnorm(widest: int = 2048, dtype: str = "bfloat16", threads: int = 128):
    """Rows of the call's length, at most `widest`, each in the registers of one tile program."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def rmsnorm_kernel(X: T.Tensor((m, n), dtype), W: T.Tensor((n,), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(m, threads=threads) as bx:
            x = T.alloc_fragment((1, widest), "float32")
            squares = T.alloc_fragment((1, widest), "float32")
            total = T.alloc_fragment((1,), "float32")
            w = T.alloc_fragment((widest,), dtype)
            T.copy(X[bx, 0], x)
            T.copy(W[0], w)
            for i, j in T.Parallel(1, widest):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, total, dim=1)
            total[0] = T.rsqrt(total[0] / n + 1e-5)
            for i, j in T.Parallel(1, widest):
                x[i, j] = x[i, j] * total[0] * T.cast(w[j], "float32")
            T.copy(x, Y[bx, 0])

    return rmsnorm_kernel


def rmsnorm_rows(n: int, dtype: str = "bfloat16", threads: int = 128):
    """Rows of a known length, as many as the call has."""
    m = T.dynamic("m")

    @T.prim_func
    def rmsnorm_rows_kernel(X: T.Tensor((m, n), dtype), W: T.Tensor((n,), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(m, threads=threads) as bx:
            x = T.alloc_fragment((1, n), "float32")
            squares = T.alloc_fragment((1, n), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], x)
            for i, j in T.Parallel(1, n):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, total, dim=1)
            total[0] = T.rsqrt(total[0] / n + 1e-5)
            for i, j in T.Parallel(1, n):
                x[i, j] = x[i, j] * total[0] * T.cast(W[j], "float32")
            T.copy(x, Y[bx, 0])

    return rmsnorm_rows_kernel
