"""Small programs of the Ascend 950 that once did something else in the simulator than they mean."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T

RANDOM = np.random.default_rng(950)


def numbers(*shape: int, dtype=np.float32) -> np.ndarray:
    return RANDOM.integers(-4, 5, shape).astype(dtype)


def agrees(program, *arguments) -> None:
    """Runs the program on its meaning and in the simulator; both leave the same in all arrays."""
    results = []
    for target in ("interpret", "ascend"):
        own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        tilelang.compile(program, target=target)(*own)
        results.append([a for a in own if isinstance(a, np.ndarray)])
    for n, (expected, found) in enumerate(zip(*results)):
        assert np.array_equal(expected, found), f"array {n}: {found}, but it means {expected}"


def fails(reason: str):
    return pytest.mark.xfail(strict=True, raises=(AssertionError, RuntimeError), reason=reason)


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


# Copies.


def test_rows_outside_of_the_tensor_are_pads() -> None:
    @T.prim_func
    def program(A: T.Tensor((2, 8), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((8,), "float32")
            for k in T.serial(4):
                T.copy(A[k, 0], a)
                T.copy(a, B[k, 0])

    agrees(program, numbers(2, 8), numbers(4, 8))


def test_planes_outside_of_the_tensor_are_zero_factors() -> None:
    @T.prim_func
    def program(
        A: T.Tensor((2, 64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((3, 64, 64), "float32")
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 64), "float16"), T.alloc_l1((64, 64), "float16")
            c = T.alloc_l0c((64, 64), "float32")
            T.copy(B, b)
            for k in T.serial(3):
                T.copy(A[k, 0, 0], a)
                T.gemm(a, b, c, transpose_B=True, clear_accum=True)
                T.copy(c, C[k, 0, 0])

    agrees(program, numbers(2, 64, 64, dtype=np.float16), numbers(64, 64, dtype=np.float16), numbers(3, 64, 64))


@pytest.mark.parametrize("rows", [3, 2])
def test_a_tile_of_rows_goes_to_a_row(rows: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((rows, 7), "float32"), B: T.Tensor((21,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((3, 7), "float32")
            T.copy(A[0, 0], a)
            T.copy(a, B)

    agrees(program, numbers(rows, 7), numbers(21))


@fails("a copy into the middle of a block of 32 bytes is neither moved by threads nor refused")
@pytest.mark.parametrize("shift", [-4, -3])
def test_a_tile_begins_before_the_tensor(shift: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((40,), "float32"), B: T.Tensor((40,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((8,), "float32")
            for k in T.serial(5):
                T.copy(A[k * 8 + shift], a)
                T.copy(a, B[k * 8])

    agrees(program, numbers(40), numbers(40))


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


# Products.


@fails("an operand of L0 that is the other way round is refused")
def test_a_product_of_plain_operands() -> None:
    @T.prim_func
    def program(A: T.Tensor((64, 32), "float16"), B: T.Tensor((32, 48), "float16"), C: T.Tensor((64, 48), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 32), "float16"), T.alloc_l1((32, 48), "float16")
            x, y = T.alloc_l0a((64, 32), "float16"), T.alloc_l0b((32, 48), "float16")
            c = T.alloc_l0c((64, 48), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(a, x)
            T.copy(b, y)
            T.gemm(x, y, c, clear_accum=True)
            T.copy(c, C)

    agrees(program, numbers(64, 32, dtype=np.float16), numbers(32, 48, dtype=np.float16), numbers(64, 48))


@fails("a copy that transposes is refused")
@pytest.mark.parametrize("left", [True, False])
def test_a_product_of_turned_operands(left: bool) -> None:
    @T.prim_func
    def program(A: T.Tensor((64, 32), "float16"), B: T.Tensor((48, 32), "float16"), C: T.Tensor((64, 48), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 32), "float16"), T.alloc_l1((48, 32), "float16")
            x = T.alloc_l0a((32, 64) if left else (64, 32), "float16")
            y = T.alloc_l0b((48, 32) if left else (32, 48), "float16")
            c = T.alloc_l0c((64, 48), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(a, x, transpose=left)
            T.copy(b, y, transpose=not left)
            T.gemm(x, y, c, transpose_A=left, transpose_B=left, clear_accum=True)
            T.copy(c, C)

    agrees(program, numbers(64, 32, dtype=np.float16), numbers(48, 32, dtype=np.float16), numbers(64, 48))


def test_small_products_add_up() -> None:
    @T.prim_func
    def program(A: T.Tensor((32, 96), "float16"), B: T.Tensor((16, 96), "float16"), C: T.Tensor((32, 16), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((32, 48), "float16"), T.alloc_l1((16, 48), "float16")
            c = T.alloc_l0c((32, 16), "float32")
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 48], a)
                T.copy(B[0, k * 48], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
            T.copy(c, C)

    agrees(program, numbers(32, 96, dtype=np.float16), numbers(16, 96, dtype=np.float16), numbers(32, 16))


def test_three_stages_inside_of_loops_over_tiles() -> None:
    @T.prim_func
    def program(A: T.Tensor((32, 96), "float16"), B: T.Tensor((64, 96), "float16"), C: T.Tensor((32, 64), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((16, 32), "float16"), T.alloc_l1((32, 32), "float16")
            c = T.alloc_l0c((16, 32), "float32")
            for m in T.serial(2):
                for n in T.serial(2):
                    for k in T.Pipelined(3, num_stages=3):
                        T.copy(A[m * 16, k * 32], a)
                        T.copy(B[n * 32, k * 32], b)
                        T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
                    T.copy(c, C[m * 16, n * 32])

    agrees(program, numbers(32, 96, dtype=np.float16), numbers(64, 96, dtype=np.float16), numbers(32, 64))


@pytest.mark.parametrize(
    ("row", "column"),
    [(-16, 0), (-5, 0), (0, -16), pytest.param(0, -3, marks=fails("the first column is inside of a fractal"))],
)
def test_sums_begin_before_the_tensor(row: int, column: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((32, 32), "float16"),
        B: T.Tensor((48, 32), "float16"),
        C: T.Tensor((40, 50), "float32"),
        m: T.int32,
        n: T.int32,
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((32, 32), "float16"), T.alloc_l1((48, 32), "float16")
            c = T.alloc_l0c((32, 48), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C[m, n])

    factors = numbers(32, 32, dtype=np.float16), numbers(48, 32, dtype=np.float16)
    agrees(program, *factors, numbers(40, 50), row, column)


@fails("zeros in front of the first column of a fractal are a negative number of blocks")
def test_factors_begin_before_the_tensor() -> None:
    @T.prim_func
    def program(
        A: T.Tensor((32, 32), "float16"), B: T.Tensor((48, 32), "float16"), C: T.Tensor((32, 48), "float32"), k: T.int32
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((32, 32), "float16"), T.alloc_l1((48, 32), "float16")
            c = T.alloc_l0c((32, 48), "float32")
            T.copy(A[0, k], a)
            T.copy(B[0, k], b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    agrees(program, numbers(32, 32, dtype=np.float16), numbers(48, 32, dtype=np.float16), numbers(32, 48), -3)


@pytest.mark.parametrize(("rows", "columns"), [(5000, 4), (4095, 2)])
def test_versions_of_padded_rows_fit(rows: int, columns: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((rows, columns), "float32"), B: T.Tensor((rows, columns), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((rows, columns), "float32")
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A, a)
                T.copy(a, B)

    agrees(program, numbers(rows, columns), numbers(rows, columns))
