"""Products of tiles in L1 and in L0: operands either way round, parts that the launch chooses, sums with tails."""

from __future__ import annotations

import itertools

import pytest
import tilelang
import tilelang.ascend.language as T
from agreement import agrees, halves, numbers

# The accumulator of operands.
SUMS = {"float16": "float32", "float32": "float32", "int8": "int32"}


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

    agrees(program, halves(64, 32), halves(32, 48), numbers(64, 48))


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

    agrees(program, halves(32, 96), halves(16, 96), numbers(32, 16))


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

    agrees(program, halves(32, 96), halves(64, 96), numbers(32, 64))


@pytest.mark.parametrize(
    ("row", "column"),
    [(-16, 0), (-5, 0), (0, -16), (-40, 60)],
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

    factors = halves(32, 32), halves(48, 32)
    agrees(program, *factors, numbers(40, 50), row, column)


@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize(
    "ways", list(itertools.product([False, True], repeat=4)), ids=lambda w: "".join(map(str, map(int, w)))
)
def test_operands_either_way_round(dtype: str, ways: tuple[bool, bool, bool, bool]) -> None:
    """`ways`: whether A and B are turned in L0, and whether their copies to it turn them."""
    turned_a, turned_b, turns_a, turns_b = ways
    rows, columns, depth = (64, 32, 96) if dtype == "int8" else (48, 64, 32)
    in_l0a = (depth, rows) if turned_a else (rows, depth)
    in_l0b = (columns, depth) if turned_b else (depth, columns)
    in_a = in_l0a[::-1] if turns_a else in_l0a
    in_b = in_l0b[::-1] if turns_b else in_l0b
    sums = SUMS[dtype]

    @T.prim_func
    def program(A: T.Tensor(in_a, dtype), B: T.Tensor(in_b, dtype), C: T.Tensor((rows, columns), sums)):
        with T.Kernel(1):
            a, b = T.alloc_l1(in_a, dtype), T.alloc_l1(in_b, dtype)
            x, y = T.alloc_l0a(in_l0a, dtype), T.alloc_l0b(in_l0b, dtype)
            c = T.alloc_l0c((rows, columns), sums)
            T.copy(A, a)
            T.copy(B, b)
            T.copy(a, x, transpose=turns_a)
            T.copy(b, y, transpose=turns_b)
            T.gemm(x, y, c, transpose_A=turned_a, transpose_B=turned_b, clear_accum=True)
            T.copy(c, C)

    source = agrees(
        program, numbers(*in_a, dtype=dtype), numbers(*in_b, dtype=dtype), numbers(rows, columns, dtype=sums)
    )
    assert ("l12l0a_transpose" in source) == (turned_a != turns_a)
    assert ("l12l0b_transpose" in source) == (turned_b == turns_b)


EXTENTS = [(64, 80, 64), (40, 33, 20), (5, 80, 64), (1, 1, 1), (0, 3, 4), (64, 80, 17)]


@pytest.mark.parametrize(("m", "n", "k"), EXTENTS)
def test_parts_that_the_launch_chooses(m: int, n: int, k: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((100, 64), "float16"),
        B: T.Tensor((80, 64), "float16"),
        C: T.Tensor((100, 80), "float32"),
        m: T.int32,
        n: T.int32,
        k: T.int32,
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 64), "float16"), T.alloc_l1((80, 64), "float16")
            x, y = T.alloc_l0a((64, 64), "float16"), T.alloc_l0b((80, 64), "float16")
            c = T.alloc_l0c((64, 80), "float32")
            T.copy(A[0:64, 0:64], a)
            T.copy(B, b)
            T.copy(a[0:m, 0:k], x[0:m, 0:k])
            T.copy(b[0:n, 0:k], y[0:n, 0:k])
            T.gemm(x[0:m, 0:k], y[0:n, 0:k], c[0:m, 0:n], transpose_B=True, clear_accum=True)
            T.copy(c[0:m, 0:n], C[0:m, 0:n])

    agrees(program, halves(100, 64), halves(80, 64), numbers(100, 80), m, n, k)


@pytest.mark.parametrize(("m", "n", "k"), EXTENTS)
def test_turned_parts_that_the_launch_chooses(m: int, n: int, k: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((64, 100), "float16"),
        B: T.Tensor((64, 80), "float16"),
        C: T.Tensor((100, 80), "float32"),
        m: T.int32,
        n: T.int32,
        k: T.int32,
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 64), "float16"), T.alloc_l1((64, 80), "float16")
            x, y = T.alloc_l0a((64, 64), "float16"), T.alloc_l0b((64, 80), "float16")
            c = T.alloc_l0c((64, 80), "float32")
            T.copy(A[0:64, 0:64], a)
            T.copy(B, b)
            T.copy(a[0:k, 0:m], x[0:k, 0:m])
            T.copy(b[0:k, 0:n], y[0:k, 0:n])
            T.gemm(x[0:k, 0:m], y[0:k, 0:n], c[0:m, 0:n], transpose_A=True, clear_accum=True)
            T.copy(c[0:m, 0:n], C[0:m, 0:n])

    agrees(program, halves(64, 100), halves(64, 80), numbers(100, 80), m, n, k)


@pytest.mark.parametrize("rows", [100, 65, 64, 1, 0])
def test_rows_that_are_left(rows: int) -> None:
    """The last core has fewer rows, or none: a negative extent is one of 0."""

    @T.prim_func
    def program(
        A: T.Tensor((100, 64), "float16"),
        B: T.Tensor((80, 64), "float16"),
        C: T.Tensor((100, 80), "float32"),
        rows: T.int32,
    ):
        with T.Kernel(2) as bx:
            a, b = T.alloc_l1((64, 64), "float16"), T.alloc_l1((80, 64), "float16")
            x, y = T.alloc_l0a((64, 64), "float16"), T.alloc_l0b((80, 64), "float16")
            c = T.alloc_l0c((64, 80), "float32")
            m = T.min(64, rows - bx * 64)
            T.copy(A[bx * 64 : bx * 64 + m, 0:64], a[0:m, 0:64])
            T.copy(B, b)
            T.copy(a[0:m, 0:64], x[0:m, 0:64])
            T.copy(b, y)
            T.gemm(x[0:m, 0:64], y, c[0:m, 0:80], transpose_B=True, clear_accum=True)
            T.copy(c[0:m, 0:80], C[bx * 64 : bx * 64 + m, 0:80])

    agrees(program, halves(100, 64), halves(80, 64), numbers(100, 80), rows)


@pytest.mark.parametrize("row", [0, -5, 3])
def test_parts_of_l1_by_loops(row: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((4, 64, 64), "float16"),
        B: T.Tensor((48, 64), "float16"),
        C: T.Tensor((4, 64, 48), "float32"),
        r: T.int32,
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((4, 64, 64), "float16"), T.alloc_l1((48, 64), "float16")
            x, y = T.alloc_l0a((32, 32), "float16"), T.alloc_l0b((48, 32), "float16")
            c = T.alloc_l0c((32, 48), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for p in T.serial(4):
                for h in T.serial(2):
                    for k in T.serial(2):
                        T.copy(a[p, h * 32 : h * 32 + 32, k * 32 : k * 32 + 32], x)
                        T.copy(b[0:48, k * 32 : k * 32 + 32], y)
                        T.gemm(x, y, c, transpose_B=True, clear_accum=k == 0)
                    T.copy(c, C[p, h * 32 + r, 0])

    agrees(program, halves(4, 64, 64), halves(48, 64), numbers(4, 64, 48), row)


def refused(program, message: str) -> None:
    with pytest.raises(tilelang.TileLangError, match=message):
        tilelang.compile(program, target="ascend")


def test_one_tile_is_not_multiplied_both_ways() -> None:
    @T.prim_func
    def program(C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1):
            x, y = T.alloc_l0a((32, 32), "float16"), T.alloc_l0b((32, 32), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.gemm(x, y, c, transpose_B=True, clear_accum=True)
            T.gemm(x, y, c, transpose_B=False)
            T.copy(c, C)

    refused(program, "`y` is multiplied as it lies here and transposed elsewhere")


def test_a_tile_in_l0_has_one_height() -> None:
    @T.prim_func
    def two(C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1):
            x, y = T.alloc_l0a((32, 32), "float16"), T.alloc_l0b((32, 32), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.gemm(x, y, c, transpose_B=True, clear_accum=True)
            T.gemm(x[0:16, 0:32], y, c[0:16, 0:32], transpose_B=True)
            T.copy(c, C)

    refused(two, "`x` has 16 rows here and 32 in another product")

    @T.prim_func
    def lower(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1):
            a = T.alloc_l1((32, 32), "float16")
            x, y = T.alloc_l0a((32, 32), "float16"), T.alloc_l0b((32, 32), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.copy(A, a)
            T.copy(a, x)
            T.copy(a, y)
            T.gemm(x[0:16, 0:32], y, c[0:16, 0:32], transpose_B=True, clear_accum=True)
            T.copy(c, C)

    refused(lower, "32 rows of `x` are moved, and 16 are multiplied")


def test_a_part_outside_of_its_source() -> None:
    @T.prim_func
    def program(A: T.Tensor((32, 32), "float16"), m: T.int32):
        with T.Kernel(1):
            a, x = T.alloc_l1((32, 32), "float16"), T.alloc_l0a((32, 32), "float16")
            T.copy(A, a)
            T.copy(a[m : m + 16, 0:32], x[0:16, 0:32])

    kernel = tilelang.compile(program, target="ascend")
    kernel(halves(32, 32), 16)
    with pytest.raises(tilelang.TileLangError, match="a part of `x` is copied from outside of its source"):
        kernel(halves(32, 32), 32)
    with pytest.raises(tilelang.TileLangError, match="inside of a fractal of 16 rows"):
        kernel(halves(32, 32), 8)


def test_sums_begin_inside_of_a_fractal() -> None:
    @T.prim_func
    def program(A: T.Tensor((32, 32), "float16"), C: T.Tensor((40, 50), "float32"), n: T.int32):
        with T.Kernel(1):
            a = T.alloc_l1((32, 32), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, transpose_B=True, clear_accum=True)
            T.copy(c, C[0, n])

    kernel = tilelang.compile(program, target="ascend")
    with pytest.raises(tilelang.TileLangError, match="`c` begins inside of a fractal of 16 columns"):
        kernel(halves(32, 32), numbers(40, 50), -3)


@pytest.mark.parametrize("row", [0, 16, 8])
def test_a_part_of_l1_is_multiplied(row: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((64, 64), "float16"), C: T.Tensor((32, 64), "float32"), r: T.int32):
        with T.Kernel(1):
            a = T.alloc_l1((64, 64), "float16")
            c = T.alloc_l0c((32, 64), "float32")
            T.copy(A, a)
            T.gemm(a[r : r + 32, 0:64], a, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    if row % 16 == 0:
        agrees(program, halves(64, 64), numbers(32, 64), row)
        return
    with pytest.raises(tilelang.TileLangError, match="inside of a fractal of 16 rows"):
        tilelang.compile(program, target="ascend")(halves(64, 64), numbers(32, 64), row)


def test_two_products_share_places_in_l0() -> None:
    """Each would take both halves of L0B: they take them in turn."""

    @T.prim_func
    def program(
        A: T.Tensor((128, 192), "float16"),
        B: T.Tensor((256, 192), "float16"),
        C: T.Tensor((128, 256), "float32"),
        D: T.Tensor((128, 128), "float32"),
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((128, 64), "float16"), T.alloc_l1((256, 64), "float16")
            c, d = T.alloc_l0c((128, 256), "float32"), T.alloc_l0c((128, 128), "float32")
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
                T.gemm(a, b[64:192, 0:64], d, transpose_B=True, clear_accum=k == 0)
            T.copy(c, C)
            T.copy(d, D)

    agrees(program, halves(128, 192), halves(256, 192), numbers(128, 256), numbers(128, 128))


@pytest.mark.parametrize(("rows", "depth"), [(512, 48), (1024, 80)])
def test_an_odd_number_of_parts_along_k(rows: int, depth: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((rows, 2 * depth), "float16"),
        B: T.Tensor((16, 2 * depth), "float16"),
        C: T.Tensor((rows, 16), "float32"),
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((rows, depth), "float16"), T.alloc_l1((16, depth), "float16")
            c = T.alloc_l0c((rows, 16), "float32")
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * depth], a)
                T.copy(B[0, k * depth], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
            T.copy(c, C)

    agrees(program, halves(rows, 2 * depth), halves(16, 2 * depth), numbers(rows, 16))


def test_bytes_are_transposed_by_blocks_of_32() -> None:
    """Rows of L0 that are no multiple of it cannot be loaded."""

    @T.prim_func
    def program(A: T.Tensor((96, 48), "int8"), C: T.Tensor((48, 48), "int32")):
        with T.Kernel(1):
            a = T.alloc_l1((96, 48), "int8")
            x, y = T.alloc_l0a((96, 48), "int8"), T.alloc_l0b((96, 48), "int8")
            c = T.alloc_l0c((48, 48), "int32")
            T.copy(A, a)
            T.copy(a, x)
            T.copy(a, y)
            T.gemm(x, y, c, transpose_A=True, clear_accum=True)
            T.copy(c, C)

    refused(program, "`x` lies in L0 as 48 rows, but a load that transposes elements of 8 bits makes 32 at once")


def test_a_product_along_too_long_a_k() -> None:
    @T.prim_func
    def program(C: T.Tensor((16, 16), "int32")):
        with T.Kernel(1):
            x, y = T.alloc_l0a((16, 4096), "int8"), T.alloc_l0b((16, 4096), "int8")
            c = T.alloc_l0c((16, 16), "int32")
            T.gemm(x, y, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    refused(program, "an extent of 4096; the cube unit multiplies at most 4095")
