"""Copies to and from tiles of fractals: whole fractals move, and what lies beside a part stays or is refused."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T
from agreement import agrees, halves, numbers


def test_planes_of_fractals() -> None:
    @T.prim_func
    def program(
        A: T.Tensor((3, 24, 40), "float16"), B: T.Tensor((24, 40), "float16"), C: T.Tensor((3, 16, 16), "float32")
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((3, 24, 40), "float16"), T.alloc_l1((24, 40), "float16")
            x, y = T.alloc_l0a((16, 32), "float16"), T.alloc_l0b((16, 32), "float16")
            c = T.alloc_l0c((16, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(b[0:16, 0:32], y)
            for i in T.serial(3):
                T.copy(a[i, 0:16, 0:32], x)
                T.gemm(x, y, c, transpose_B=True, clear_accum=True)
                T.copy(c, C[i, 0, 0])

    agrees(program, halves(3, 24, 40), halves(24, 40), numbers(3, 16, 16))


def test_planes_beyond_the_tensor_are_zero_factors_together() -> None:
    @T.prim_func
    def program(
        A: T.Tensor((2, 30, 64), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((3, 32, 32), "float32")
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((3, 32, 64), "float16"), T.alloc_l1((32, 64), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.copy(A[0, 0, 0], a)
            T.copy(B, b)
            for i in T.serial(3):
                T.gemm(a[i, 0:32, 0:64], b, c, transpose_B=True, clear_accum=True)
                T.copy(c, C[i, 0, 0])

    agrees(program, halves(2, 30, 64), halves(32, 64), numbers(3, 32, 32))


def test_a_tensor_with_columns_side_by_side() -> None:
    @T.prim_func
    def program(
        A: T.StridedTensor((64, 32), (1, 64), "float16"),
        B: T.Tensor((48, 32), "float16"),
        C: T.Tensor((64, 48), "float32"),
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((64, 32), "float16"), T.alloc_l1((48, 32), "float16")
            c = T.alloc_l0c((64, 48), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    a, b, c = halves(64, 32), halves(48, 32), numbers(64, 48)
    tilelang.compile(program, target="ascend")(np.asfortranarray(a), b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.T.astype(np.float32))


def test_a_transposed_tile_has_tails() -> None:
    @T.prim_func
    def program(A: T.Tensor((50, 90), "float16"), B: T.Tensor((70, 50), "float16"), C: T.Tensor((90, 70), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((96, 64), "float16"), T.alloc_l1((80, 64), "float16")
            c = T.alloc_l0c((96, 80), "float32")
            T.copy(A[0, 0], a, transpose=True)
            T.copy(B[0, 0], b)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C[0, 0])

    agrees(program, halves(50, 90), halves(70, 50), numbers(90, 70))


def inside_of_a_fractal(program, *arguments) -> None:
    with pytest.raises(tilelang.TileLangError, match="begins inside of a fractal of 16 columns"):
        tilelang.compile(program, target="ascend")(*arguments)


def test_zeros_end_inside_of_a_fractal() -> None:
    """No engine moves a part of a fractal's row."""

    @T.prim_func
    def program(A: T.Tensor((32, 32), "float16"), k: T.int32):
        with T.Kernel(1):
            a = T.alloc_l1((32, 32), "float16")
            T.copy(A[0, k], a)

    tilelang.compile(program, target="ascend")(halves(32, 32), -16)
    inside_of_a_fractal(program, halves(32, 32), -3)


def test_a_part_of_l1_begins_inside_of_a_fractal() -> None:
    @T.prim_func
    def program(A: T.Tensor((32, 32), "float16")):
        with T.Kernel(1):
            a = T.alloc_l1((32, 32), "float16")
            T.copy(A[0:32, 3:19], a[0:32, 3:19])

    inside_of_a_fractal(program, halves(32, 32))


@pytest.mark.parametrize("columns", [5, 16])
def test_a_part_of_l1_ends_inside_of_a_fractal(columns: int) -> None:
    """The engine that loads L1 sets the rest of a fractal's row to 0."""

    @T.prim_func
    def program(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32"), n: T.int32):
        with T.Kernel(1):
            a, c = T.alloc_l1((32, 32), "float16"), T.alloc_l0c((32, 32), "float32")
            T.copy(A, a)
            T.copy(A[0:32, 0:n], a[0:32, 0:n])
            T.gemm(a, a, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    if columns % 16 == 0:
        agrees(program, halves(32, 32), numbers(32, 32), columns)
        return
    with pytest.raises(
        tilelang.TileLangError, match="ends inside of a fractal of 16 columns, whose others would become 0"
    ):
        tilelang.compile(program, target="ascend")(halves(32, 32), numbers(32, 32), columns)


@pytest.mark.parametrize(("rows", "columns"), [(5, 64), (32, 5), (16, 16), (32, 64)])
def test_a_part_of_l0_ends_inside_of_a_fractal(rows: int, columns: int) -> None:
    """Whole fractals move to L0."""

    @T.prim_func
    def program(A: T.Tensor((64, 64), "float16"), C: T.Tensor((32, 32), "float32"), m: T.int32, n: T.int32):
        with T.Kernel(1):
            a = T.alloc_l1((64, 64), "float16")
            x, y = T.alloc_l0a((32, 64), "float16"), T.alloc_l0b((32, 64), "float16")
            c = T.alloc_l0c((32, 32), "float32")
            T.copy(A, a)
            T.copy(a[0:32, 0:64], x)
            T.copy(a[0:32, 0:64], y)
            T.copy(a[32 : 32 + m, 0:n], x[0:m, 0:n])
            T.gemm(x, y, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    if rows % 16 == 0 and columns % 16 == 0:
        agrees(program, halves(64, 64), numbers(32, 32), rows, columns)
        return
    with pytest.raises(tilelang.TileLangError, match="inside of a fractal of 16, whose others would be lost"):
        tilelang.compile(program, target="ascend")(halves(64, 64), numbers(32, 32), rows, columns)


def test_elements_of_fractals_have_no_other_order() -> None:
    @T.prim_func
    def program(A: T.Tensor((64, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1):
            a, c = T.alloc_l1((64, 32), "float16"), T.alloc_l0c((32, 32), "float32")
            b = T.reshape(a, (32, 64))
            T.copy(A, a)
            T.gemm(b, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    with pytest.raises(tilelang.TileLangError, match=r"a view of `a`: its elements lie in fractals"):
        tilelang.compile(program, target="ascend")
