"""Kernels that the tests on a device share."""

from __future__ import annotations

import tilelang
import tilelang.language as T


def add(n: int, dtype: str = "float32", threads: int = 256, block: int = 1024):
    @T.prim_func
    def add_kernel(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

    return add_kernel


def rows_plus_one(m: int, n: int):
    @T.prim_func
    def rows_kernel(X: T.Tensor((m, n), "float32"), Y: T.Tensor((m, n), "float32")):
        with T.Kernel(m, threads=128) as bx:
            row = T.alloc_fragment((n,), "float32")
            T.copy(X[bx, 0], row)
            for i in T.Parallel(n):
                row[i] = row[i] + 1.0
            T.copy(row, Y[bx, 0])

    return rows_kernel


def dynamic_scale():
    n = T.dynamic("n")

    @T.prim_func
    def scale_kernel(A: T.Tensor((n,), "float32"), factor: T.float32, B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=128) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i] * factor

    return scale_kernel


def strided(m: int, n: int):
    @T.prim_func
    def row_sums(A: T.StridedTensor((m, n), (2 * n, 1), "float32"), B: T.Tensor((m,), "float32")):
        with T.Kernel(m, threads=64) as bx:
            row = T.alloc_fragment((1, n), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(A[bx, 0], row)
            T.reduce_sum(row, s, dim=1)
            T.copy(s, B[bx])

    return row_sums


def grid(columns: int, rows: int):
    @T.prim_func
    def grid_kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(columns, rows, threads=32) as (bx, by):
            for i in T.Parallel(64):
                A[i] = 1.0

    return grid_kernel


def grid_of_the_call():
    @T.prim_func
    def grid_kernel(A: T.Tensor((64,), "float32"), rows: T.int32):
        with T.Kernel(1, rows, threads=32) as (bx, by):
            for i in T.Parallel(64):
                A[i] = 1.0

    return grid_kernel


@tilelang.jit
def doubled(A):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B = T.empty((n,), "float32")
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i] * 2.0
    return B


def many_steps(n: int, steps: int):
    """Takes long for a small vector: a chain of multiplications."""

    @T.prim_func
    def slow(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            x = T.alloc_fragment((128,), "float32")
            T.copy(A[bx * 128], x)
            for _ in T.serial(steps):
                for i in T.Parallel(128):
                    x[i] = x[i] * 0.5 + 1.0
            T.copy(x, B[bx * 128])

    return slow


def low_bytes(n: int, dtype: str, threads: int = 128):
    """The low byte of each number rounded to a type of 16 bits."""

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "int8")):
        with T.Kernel(T.ceildiv(n, 256), threads=threads) as bx:
            for i in T.Parallel(256):
                if bx * 256 + i < n:
                    bits = T.reinterpret(T.cast(A[bx * 256 + i], dtype), "int16")
                    B[bx * 256 + i] = T.cast(bits, "int8")

    return main
