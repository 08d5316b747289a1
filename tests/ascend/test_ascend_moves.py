"""Copies between tensors and the unified buffer: by engines where they reach the tile, by threads where not."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T
from agreement import agrees, halves, numbers


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

    agrees(program, halves(2, 64, 64), halves(64, 64), numbers(3, 64, 64))


@pytest.mark.parametrize("rows", [3, 2])
def test_a_tile_of_rows_goes_to_a_row(rows: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((rows, 7), "float32"), B: T.Tensor((21,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((3, 7), "float32")
            T.copy(A[0, 0], a)
            T.copy(a, B)

    agrees(program, numbers(rows, 7), numbers(21))


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


def test_a_part_begins_between_blocks() -> None:
    @T.prim_func
    def program(A: T.Tensor((40,), "float32"), B: T.Tensor((40,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((10,), "float32")
            T.clear(a)
            T.copy(A[20:25], a[3:8])
            T.copy(a[2:9], B[5:12])

    source = agrees(program, numbers(40), numbers(40))
    assert "asc_copy_gm2ub_align" not in source and "asc_copy_ub2gm_align" not in source


def test_columns() -> None:
    @T.prim_func
    def program(A: T.Tensor((8, 5), "float32"), B: T.Tensor((8, 7), "float32"), C: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_shared((8,), "float32"), T.alloc_shared((8, 7), "float32")
            T.copy(A[0:8, 3], a)
            T.copy(B, b)
            T.copy(a, B[0:8, 6])
            T.copy(b[0:8, 3], C)

    agrees(program, numbers(8, 5), numbers(8, 7), numbers(8))


@pytest.mark.parametrize("first", [0, 1, 2, -1, -2, 7])
def test_planes(first: int) -> None:
    @T.prim_func
    def program(
        A: T.Tensor((4, 5, 9), "float32"),
        B: T.Tensor((4, 5, 9), "float32"),
        C: T.Tensor((5, 4, 9), "float32"),
        m: T.int32,
    ):
        with T.Kernel(1):
            a = T.alloc_shared((3, 4, 7), "float32")
            T.copy(A[m, 1, 1], a)
            with T.SimtVF(threads=64):
                for i, j, k in T.Parallel(3, 4, 7):
                    a[i, j, k] = a[i, j, k] + 1
            T.copy(a, B[m, 0, 0])
            T.copy(a, C[2, m, 1])

    agrees(program, numbers(4, 5, 9), numbers(4, 5, 9), numbers(5, 4, 9), first)


def test_tensors_with_strides() -> None:
    @T.prim_func
    def program(A: T.StridedTensor((6, 4), (1, 6), "float32"), B: T.StridedTensor((6, 5), (11, 2), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((6, 4), "float32")
            T.copy(A, a)
            T.copy(a, B[0, 1])

    a, b = numbers(6, 4), np.zeros((6, 11), np.float32)
    tilelang.compile(program, target="ascend")(np.asfortranarray(a), b[:, ::2][:, :5])
    assert np.array_equal(b[:, 2:10:2], a) and not b[:, [0, 1, 3, 5, 7, 9, 10]].any()


@pytest.mark.parametrize("first", [0, 1, 3, -1])
def test_rows_of_a_tile_that_has_views(first: int) -> None:
    """Such rows keep their length, which is none of whole blocks."""

    @T.prim_func
    def program(A: T.Tensor((5, 9), "float32"), B: T.Tensor((21,), "float32"), m: T.int32):
        with T.Kernel(1):
            a = T.alloc_shared((3, 7), "float32")
            T.copy(A[m, m], a)
            T.copy(a, B)

    agrees(program, numbers(5, 9), numbers(21), first)


@pytest.mark.parametrize(("m", "n"), [(0, 0), (1, 3), (-3, 5), (2, 8)])
def test_parts_that_the_launch_chooses(m: int, n: int) -> None:
    @T.prim_func
    def program(A: T.Tensor((40,), "float32"), B: T.Tensor((40,), "float32"), m: T.int32, n: T.int32):
        with T.Kernel(1):
            a = T.alloc_shared((16,), "float32")
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[m + k : m + k + 8], a[n : n + 8])
                with T.SimtVF(threads=32):
                    for i in T.Parallel(8):
                        a[n + i] = a[n + i] + 1
                T.copy(a[n : n + 8], B[m + k * 8 : m + k * 8 + 8])

    source = agrees(program, numbers(40), numbers(40), m, n)
    assert "asc_copy_gm2ub_align" in source and "asc_copy_ub2gm_align" in source


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


@pytest.mark.parametrize("m", [0, 1])
def test_a_fill_of_a_part_in_front_of_a_copy(m: int) -> None:
    """What the program fills stays filled where the copy does not write, and nothing else is."""

    @T.prim_func
    def program(
        A: T.Tensor((8, 8), "float32"), B: T.Tensor((8, 8), "float32"), C: T.Tensor((8, 8), "float32"), m: T.int32
    ):
        with T.Kernel(1):
            a = T.alloc_shared((8, 8), "float32")
            T.copy(A, a)
            if m > 0:
                T.fill(a[0:4, 0:4], 7)
            T.copy(B[0:8, 0:2], a[0:8, 0:2])
            T.copy(a, C)

    agrees(program, numbers(8, 8), numbers(8, 8), numbers(8, 8), m)


@pytest.mark.parametrize("m", [0, 1])
def test_a_branch_ends_with_a_fill(m: int) -> None:
    """Fills of the program stand in branches, too; what stands before them is lowered like any other statement."""

    @T.prim_func
    def program(A: T.Tensor((40,), "float32"), B: T.Tensor((32,), "float32"), m: T.int32):
        with T.Kernel(1):
            a, b = T.alloc_shared((16,), "float32"), T.alloc_shared((16,), "float32")
            T.copy(A[0:16], a)
            T.copy(A[0:16], b)
            if m > 0:
                T.copy(A[3:8], b[3:8])
                T.fill(b[9:12], 1)
                T.fill(a[0:8], 7)
            T.copy(A[20:24], a[12:16])
            T.copy(a, B[0:16])
            T.copy(b, B[16:32])

    agrees(program, numbers(40), numbers(32), m)


def test_parts_with_tails_of_one_tile() -> None:
    """Each load keeps its order with what is filled behind the one before."""

    @T.prim_func
    def program(A: T.Tensor((20,), "float32"), B: T.Tensor((4, 32), "float32"), m: T.int32):
        with T.Kernel(1):
            a, b = T.alloc_shared((32,), "float32"), T.alloc_shared((32,), "float32")
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[m : m + 16], a[0:16])
                T.copy(A[m + k : m + k + 24], a[8:32], pad_value=3)
                T.copy(A[m + k], b)
                T.copy(A[m : m + 8], b[16:24])
                with T.SimtVF(threads=32):
                    for i in T.Parallel(32):
                        a[i] = a[i] * 100 + b[i]
                T.copy(a, B[k, 0])

    for m in (0, 6, 14, 20, -9):
        agrees(program, numbers(20), numbers(4, 32), m)


@pytest.mark.parametrize(("load", "store"), [(None, None), (2, "normal_lv")])
def test_a_copy_chooses_a_policy_of_the_cache(load, store) -> None:
    @T.prim_func
    def program(A: T.Tensor((40,), "float32"), B: T.Tensor((40,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((40,), "float32")
            T.copy(A, a, l2_cache_ctrl=load)
            T.copy(a, B, l2_cache_ctrl=store)

    source = agrees(program, numbers(40), numbers(40))
    assert f"static_cast<asc_load_l2_cache_mode>({load or 0})" in source
    assert f"static_cast<asc_store_l2_cache_mode>({4 if store is None else 1})" in source
