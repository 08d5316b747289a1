"""Small kernels that several tests call."""

from __future__ import annotations

import tilelang.language as T


def scale(m: int = 8, n: int = 16, dtype: str = "float32", factor: int = 2):
    """B = A * factor, both (m, n)."""

    @T.prim_func
    def k(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, 4), threads=32) as bx:
            for i, j in T.Parallel(4, n):
                if bx * 4 + i < m:
                    B[bx * 4 + i, j] = A[bx * 4 + i, j] * factor

    return k


def add_scalar(dtype: str = "int32"):
    """A[i] += s for a vector of run-time length; s is an argument."""
    n = T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((n,), dtype), s: getattr(T, dtype)):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            for i in T.Parallel(32):
                if bx * 32 + i < n:
                    A[bx * 32 + i] = A[bx * 32 + i] + s

    return k


def copy_vector(dtype: str):
    """B = A for vectors of run-time length."""
    n = T.dynamic("n")

    @T.prim_func
    def k(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            for i in T.Parallel(32):
                if bx * 32 + i < n:
                    B[bx * 32 + i] = A[bx * 32 + i]

    return k
