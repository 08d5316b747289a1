"""Memories of an AI core, and copies between them."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang.ascend.language as T
from tracing import interpret, lines, refused, text

RANDOM = np.random.default_rng(950)


def test_memories() -> None:
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((4,), "bool")
            l1 = T.alloc_l1((16, 16), "float16")
            a = T.alloc_l0a((16, 16), "float16")
            b = T.alloc_l0b((16, 16), "float16")
            c = T.alloc_l0c((16, 16), "float32", layout=False)
            with T.SimtVF(32):
                T.alloc_fragment((64,), "float32")
                T.alloc_var("int32", init=0)
            assert [x.scope() for x in (ub, l1, a, b, c)] == [
                "shared.dyn",
                "shared.l1",
                "shared.l0a",
                "shared.l0b",
                "shared.l0c",
            ]

    assert text(kernel) == lines("""
        alloc %ub: shared bool[4]
        alloc %l1: l1 float16[16, 16]
        alloc %a: l0a float16[16, 16]
        alloc %b: l0b float16[16, 16]
        alloc %c: l0c float32[16, 16], hints={"layout": false}
        group engine="simt", count=32 {
          alloc %fragment: fragment float32[64]
          alloc %var: var int32[1], init=0
        }
    """)


def test_copies_and_their_options() -> None:
    n = T.dynamic("n")

    def kernel(A: T.Tensor((n, 64), "int8"), B: T.Tensor((64, n), "int8"), C: T.Tensor((n, 16), "int32")):
        with T.Kernel(n) as i:
            ub = T.alloc_shared((16, 64), "int8")
            l1 = T.alloc_l1((16, 64), "int8")
            l0 = T.alloc_l0c((16, 16), "int32")
            T.copy(A[i, 0], ub, pad_value=-1, l2_cache_ctrl="normal_lv")
            T.copy(A[i, 0], ub, data_select=True)
            T.copy(ub, A[i, 0], l2_cache_ctrl="L2_NOTALLOC_CI")
            T.copy(B[0, i], l1, transpose=True, annotations={"l2_cache_ctrl": 9, "data_select": 0})
            T.copy(l0, C[i, 0], unit_flag_ctrl=3)
            T.copy(A[0, 1], A[1, 0])

    assert text(kernel).split("\n", 3)[3] == lines("""
        tile.copy src=%A[%bx :+ 16, 0 :+ 64], dst=%ub[0 :+ 16, 0 :+ 64], pad=-1:int8, hints={"l2_cache_ctrl": 1}
        tile.copy src=%A[%bx :+ 16, 0 :+ 64], dst=%ub[0 :+ 16, 0 :+ 64], hints={"data_select": true}
        tile.copy src=%ub[0 :+ 16, 0 :+ 64], dst=%A[%bx :+ 16, 0 :+ 64], hints={"l2_cache_ctrl": 4}
        tile.copy src=%B[0 :+ 64, %bx :+ 16], dst=%l1[0 :+ 16, 0 :+ 64], hints={"l2_cache_ctrl": 9, "transpose": true}
        tile.copy src=%l0[0 :+ 16, 0 :+ 16], dst=%C[%bx :+ 16, 0 :+ 16], hints={"unit_flag_ctrl": 3}
        store %A, [1, 0], %A[0, 1]
    """)


def test_whole_buffers_keep_their_elements_in_order() -> None:
    def kernel(A: T.Tensor((6, 4), "float32"), B: T.Tensor((24,), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((3, 8), "float32")
            T.copy(A, ub)
            T.copy(ub, B)

    def turned(A: T.Tensor((6, 4), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((4, 6), "float32")
            T.copy(A, ub)  # refused

    def fewer(A: T.Tensor((6, 4), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((5, 6), "float32")
            T.copy(A, ub)  # refused

    assert text(kernel) == lines("""
        alloc %ub: shared float32[3, 8]
        view %ub_reshaped: shared float32[6, 4], %ub
        tile.copy src=%A[0 :+ 6, 0 :+ 4], dst=%ub_reshaped[0 :+ 6, 0 :+ 4]
        view %ub_reshaped_1: shared float32[24], %ub
        tile.copy src=%ub_reshaped_1[0 :+ 24], dst=%B[0 :+ 24]
    """)
    a, b = RANDOM.random((6, 4), np.float32), np.zeros(24, np.float32)
    interpret(T.prim_func(kernel), a, b)
    assert (b == a.ravel()).all()
    refused(turned, ValueError, "pass transpose=True")
    refused(fewer, ValueError, "unequal shapes")


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"l2_cache_ctrl": "NOTALLOC_CI"}, "no cache policy of loads"),
        ({"l2_cache_ctrl": 17}, "cache policies of loads are 0 to 16"),
        ({"transpose": True}, "transpose does not apply to a copy from global to shared"),
        ({"unit_flag_ctrl": 3}, "unit_flag_ctrl does not apply"),
        ({"sub_blockid": 1}, "sub_blockid does not apply"),
        ({"pad_value": 0, "data_select": True}, "exclude each other"),
    ],
)
def test_options_that_do_not_apply(options: dict, fragment: str) -> None:
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((64,), "float32")
            T.copy(A, ub, **options)  # refused

    refused(kernel, ValueError, fragment)


def test_options_of_other_paths() -> None:
    def copies(make, **options):
        def kernel(A: T.Tensor((16, 16), "float32"), D: T.Tensor((16,), "float64")):
            with T.Kernel(1):
                src, dst = make(A, D)
                T.copy(src, dst, **options)  # refused

        return kernel

    def to_l1(A, _):
        return A, T.alloc_l1((16, 16), "float32")

    def to_l0(_, __):
        return T.alloc_l1((16, 16), "float32"), T.alloc_l0a((16, 16), "float32")

    def doubles(_, D):
        return D, T.alloc_shared((16,), "float64")

    def sums(_, __):
        return T.alloc_l0c((16, 16), "float32"), T.alloc_shared((16, 16), "float32")

    refused(copies(to_l1, pad_value=0), ValueError, "pad_value does not apply to a copy from global to l1")
    refused(copies(to_l0, l2_cache_ctrl=0), ValueError, "l2_cache_ctrl does not apply")
    refused(copies(doubles, pad_value=0), ValueError, "only those of 8, 16 or 32 bits")
    refused(copies(sums, sub_blockid=2), ValueError, "vector units 0 and 1")
    refused(copies(sums, unit_flag_ctrl=1), ValueError, "it is 0, 2 or 3")


def test_paths() -> None:
    def copies(make, in_region=False):
        def kernel(A: T.Tensor((16, 16), "float32")):
            with T.Kernel(1):
                src, dst = make(A)
                if in_region:
                    with T.SimtVF():
                        T.copy(src, dst)
                T.copy(src, dst)

        return kernel

    def shared_to_shared(_):
        return T.alloc_shared((16, 16), "float32"), T.alloc_shared((16, 16), "float32")

    def to_l0(A):
        return A, T.alloc_l0a((16, 16), "float32")

    def from_l1(A):
        return T.alloc_l1((16, 16), "float32"), A

    def to_l1(A):
        return A, T.alloc_l1((16, 16), "float32")

    refused(copies(shared_to_shared), ValueError, "no data path from shared to shared memory")
    refused(copies(to_l0), ValueError, "no data path from global to l0a memory")
    refused(copies(from_l1), ValueError, "from l1 memory tiles go to l0a or l0b")
    refused(copies(to_l1, in_region=True), ValueError, "inside of a VF block")


def test_conversions_outside_of_regions() -> None:
    def copy(A: T.Tensor((16,), "float16")):
        with T.Kernel(1):
            ub = T.alloc_shared((16,), "float32")
            T.copy(A, ub)  # refused

    def element(A: T.Tensor((16,), "float16"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            T.copy(A[0], B[0])  # refused

    def store(A: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = n  # refused

    def sums(A: T.Tensor((16, 16), "int8")):
        with T.Kernel(1):
            c = T.alloc_l0c((16, 16), "float32")
            T.copy(c, A)  # refused

    def variable(A: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1):
            T.alloc_var("float32", init=n)  # refused

    for wrong in (copy, element, store, sums, variable):
        assert "[TileLang Semantic Check]" in refused(wrong, ValueError, "error[TL028]")

    def fine(A: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = 1
            A[1] = T.cast(n, "float32")
            with T.SimtVF():
                A[2] = n

    assert text(fine).count("store") == 3


def test_fills() -> None:
    def fills(alloc, dtype="float32", in_region=False):
        def kernel(A: T.Tensor((16, 16), "float32")):
            with T.Kernel(1):
                tile = A if alloc is None else alloc((16, 16), dtype)
                if in_region:
                    with T.SimtVF():
                        T.clear(tile)
                else:
                    T.clear(tile)

        return kernel

    for fine in (fills(T.alloc_shared), fills(T.alloc_l1), fills(None, in_region=True)):
        assert "tile.fill" in text(fine)
    refused(fills(T.alloc_l0a), ValueError, "fill the tile in L1 that is copied to it")
    refused(fills(T.alloc_l0c), ValueError, "pass clear_accum=True to the first T.gemm")
    refused(fills(T.alloc_l1, in_region=True), ValueError, "a core does not fill l1 memory inside of VF blocks")
    refused(fills(None), ValueError, "fill it in a region")


def test_what_lies_outside_of_a_tensor() -> None:
    def kernel(**options):
        @T.prim_func
        def main(A: T.Tensor((13,), "float32"), B: T.Tensor((16,), "float32")):
            with T.Kernel(1):
                ub = T.alloc_shared((16,), "float32")
                T.copy(A[0], ub, **options)
                T.copy(ub, B)

        return main

    a, b = RANDOM.random(13, np.float32), np.zeros(16, np.float32)
    for options, outside in (({}, 0), ({"pad_value": -np.inf}, -np.inf)):
        interpret(kernel(**options), a, b)
        assert (b == np.append(a, [outside] * 3)).all()
    with pytest.raises(RuntimeError, match="TL121"):
        interpret(kernel(data_select=True), a, b)


def test_transposing_copies_at_edges() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((20, 37), "float16"), B: T.Tensor((37, 20), "float32")):
        with T.Kernel(T.ceildiv(37, 16)) as bx:
            left, right = T.alloc_l1((16, 32), "float16"), T.alloc_l1((32, 32), "float16")
            a, b = T.alloc_l0a((16, 32), "float16"), T.alloc_l0b((32, 32), "float16")
            c = T.alloc_l0c((16, 32), "float32")
            ub = T.alloc_shared((32, 32), "float16")
            with T.SimtVF():
                for i, j in T.Parallel(32, 32):
                    ub[i, j] = T.if_then_else(i == j, T.float16(1), T.float16(0))
            T.copy(ub, right)
            T.copy(A[0, bx * 16], left, transpose=True)
            T.copy(left, a)
            T.copy(right, b)
            T.gemm(a, b, c, clear_accum=True)
            T.copy(c, B[bx * 16, 0])

    a, b = RANDOM.standard_normal((20, 37)).astype(np.float16), np.zeros((37, 20), np.float32)
    interpret(kernel, a, b)
    assert (b == a.T).all()
