"""Small programs of the Ascend 950 that once did something else in the simulator than they mean."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang.ascend.language as T
from agreement import agrees, halves, numbers

# Threads of a region.


def test_threads_exchange_elements_of_a_tile() -> None:
    @T.prim_func
    def program(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((64,), "float32"), T.alloc_shared((64,), "float32")
            T.copy(A, a)
            with T.SimtVF(threads=64):
                for i in T.Parallel(64):
                    b[i] = a[i] + 1
                for i in T.Parallel(64):
                    a[i] = b[63 - i]
            T.copy(a, B)

    agrees(program, numbers(64), numbers(64))


def test_a_row_has_one_maximum() -> None:
    @T.prim_func
    def program(A: T.Tensor((16, 20), "float32"), B: T.Tensor((16, 20), "float32")):
        with T.Kernel(1):
            a, largest = T.alloc_shared((16, 20), "float32"), T.alloc_shared((16,), "float32")
            T.copy(A, a)
            with T.SimtVF(threads=96):
                x, y = T.alloc_fragment((16, 20), "float32"), T.alloc_fragment((16,), "float32")
                T.copy(a, x)
                T.reduce_max(x, y, dim=1)
                for i in T.Parallel(16):
                    largest[i] = y[i]
                for i, j in T.Parallel(16, 20):
                    a[i, j] = x[i, j] - largest[i]
            T.copy(a, B)

    agrees(program, numbers(16, 20), numbers(16, 20))


def test_copies_of_one_element() -> None:
    @T.prim_func
    def program(A: T.Tensor((1, 1), "float32"), B: T.Tensor((1, 1), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((1, 1), "float32")
            T.copy(A, a)
            with T.SimtVF(threads=32):
                x, y = T.alloc_fragment((1, 1), "float32"), T.alloc_fragment((1,), "float32")
                T.copy(a, x)
                T.reduce_sum(x, y, dim=0)
                for i, j in T.Parallel(1, 1):
                    a[i, j] = y[j] + x[i, j]
            T.copy(a, B)

    agrees(program, numbers(1, 1), numbers(1, 1))


def test_a_region_reads_a_variable_of_the_core() -> None:
    @T.prim_func
    def program(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((8,), "float32")
            v = T.alloc_var("int32", init=1)
            v += 1
            T.copy(A, a)
            with T.SimtVF(threads=32):
                for i in T.Parallel(8):
                    a[i] = a[i] + T.cast(v, "float32")
            T.copy(a, B)

    agrees(program, numbers(8), numbers(8))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_halves_round_to_even(dtype: str) -> None:
    @T.prim_func
    def program(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(1):
            a = T.alloc_shared((8,), dtype)
            T.copy(A, a)
            with T.SimtVF(threads=32):
                for i in T.Parallel(8):
                    a[i] = T.round(a[i])
            T.copy(a, B)

    a = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.25, 3], dtype)
    agrees(program, a, np.zeros_like(a))


def test_a_half_that_is_no_number() -> None:
    @T.prim_func
    def program(A: T.Tensor((8,), "float16"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((8,), "float16"), T.alloc_shared((8,), "int32")
            T.copy(A, a)
            with T.SimtVF(threads=32):
                for i in T.Parallel(8):
                    b[i] = T.cast(T.isnan(a[i]), "int32")
            T.copy(b, B)

    a = numbers(8, dtype=np.float16)
    a[3] = np.nan
    agrees(program, np.nan_to_num(a), np.zeros(8, np.int32))


# Tiles with versions.


@pytest.mark.parametrize("dim", [0, 1])
def test_a_tile_with_versions_is_reduced(dim: int) -> None:
    size = (8, 4)[dim]

    @T.prim_func
    def program(A: T.Tensor((12, 8), "float32"), B: T.Tensor((3, size), "float32")):
        with T.Kernel(1):
            a, largest = T.alloc_shared((4, 8), "float32"), T.alloc_shared((size,), "float32")
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[k * 4, 0], a)
                with T.SimtVF(threads=64):
                    x = T.alloc_fragment((size,), "float32")
                    T.reduce_max(a, x, dim=dim)
                    for i in T.Parallel(size):
                        largest[i] = x[i]
                T.copy(largest, B[k, 0])

    agrees(program, numbers(12, 8), numbers(3, size))


@pytest.mark.parametrize("dim", [0, 1])
def test_a_tile_with_versions_is_summed_up(dim: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((12, 8), "float32"), B: T.Tensor((12, 8), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((4, 8), "float32")
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[k * 4, 0], a)
                with T.SimtVF(threads=64):
                    T.cumsum(a, dim=dim)
                T.copy(a, B[k * 4, 0])

    agrees(program, numbers(12, 8), numbers(12, 8))


@pytest.mark.parametrize("in_region", [False, True])
def test_a_tile_with_versions_is_viewed(in_region: bool) -> None:
    @T.prim_func
    def program(A: T.Tensor((3, 4, 8), "float32"), B: T.Tensor((3, 4, 8), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((4, 8), "float32")
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[k, 0:4, 0:8], a)
                if not in_region:
                    b = T.reshape(a, (32,))
                with T.SimtVF(threads=32):
                    if in_region:
                        b = T.reshape(a, (32,))
                    for i in T.Parallel(32):
                        b[i] = b[i] + i
                T.copy(a, B[k, 0:4, 0:8])

    agrees(program, numbers(3, 4, 8), numbers(3, 4, 8))


def test_points_leave_elements_of_the_iteration_before() -> None:
    """A tile that not all points store has no versions."""

    @T.prim_func
    def program(A: T.Tensor((5, 8), "float32"), B: T.Tensor((5, 8), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((8,), "float32"), T.alloc_shared((8,), "float32")
            T.clear(b)
            for k in T.Pipelined(5, num_stages=2):
                T.copy(A[k, 0], a)
                with T.SimtVF(threads=32):
                    for i in T.Parallel(8):
                        if (i + k) % 3 == 0:
                            continue
                        b[i] = a[i]
                T.copy(b, B[k, 0])

    agrees(program, numbers(5, 8), numbers(5, 8))


def test_sums_go_on_from_tile_to_tile() -> None:
    """An accumulator that the first tile alone clears has one version."""

    @T.prim_func
    def program(
        A: T.Tensor((96, 64), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((3, 32, 32), "float32")
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((32, 32), "float16"), T.alloc_l1((32, 32), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            for m in T.serial(3):
                for k in T.Pipelined(2, num_stages=2):
                    T.copy(A[m * 32, k * 32], a)
                    T.copy(B[0, k * 32], b)
                    T.gemm(a, b, c, transpose_B=True, clear_accum=(m == 0) & (k == 0))
                T.copy(c, C[m, 0, 0])

    agrees(program, halves(96, 64), halves(32, 64), numbers(3, 32, 32))


# The core's own control.


def test_a_branch_changes_the_tile_that_it_depends_on() -> None:
    @T.prim_func
    def program(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((8,), "float32")
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[k, 0], a)
                if a[0] > 0:
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            a[i] = a[i] + 1
                T.copy(a, B[k, 0])

    agrees(program, np.abs(numbers(4, 8)), numbers(4, 8))
