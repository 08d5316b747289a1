"""Programs with more dependences than an ordered pair of engines has flags."""

from __future__ import annotations

import pytest
import tilelang.ascend.language as T
from agreement import agrees, halves, numbers

BARRIER = "asc_sync();"


@pytest.mark.parametrize("stages", [1, 2, 3, 8, 12])
@pytest.mark.parametrize("repeats", [1, 2])
def test_loops_follow_each_other(stages: int, repeats: int) -> None:
    """Loops that follow each other take the same flags, behind a barrier; inside of a loop barriers stand for flags."""

    @T.prim_func
    def program(A: T.Tensor((6, 8), "float32"), B: T.Tensor((6, 8), "float32")):
        with T.Kernel(1):
            a, b, c = (T.alloc_shared((8,), "float32") for _ in range(3))
            d, e = (T.alloc_shared((8,), "float32") for _ in range(2))
            for _ in T.serial(repeats):
                for k in T.Pipelined(6, num_stages=stages):
                    T.copy(A[k, 0], a)
                    T.copy(a, B[k, 0])
                for k in T.Pipelined(6, num_stages=stages):
                    T.copy(B[k, 0], b)
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            b[i] = b[i] + 1
                    T.copy(b, B[k, 0])
                for k in T.Pipelined(6, num_stages=stages):
                    T.copy(B[k, 0], c)
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            c[i] = c[i] * 2
                    T.copy(c, B[k, 0])
                for k in T.Pipelined(6, num_stages=stages):
                    T.copy(B[k, 0], d)
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            d[i] = d[i] + 3
                    T.copy(d, B[k, 0])
                for k in T.Pipelined(6, num_stages=stages):
                    T.copy(B[k, 0], e)
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            e[i] = e[i] + 4
                    T.copy(e, B[k, 0])

    source = agrees(program, numbers(6, 8), numbers(6, 8))
    assert BARRIER in source or stages not in (2, 3)


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_two_products_of_an_iteration(stages: int) -> None:
    """One flag stands for the two loads of a product: eight suffice for the loops that move them."""

    @T.prim_func
    def program(
        A: T.Tensor((2, 32, 96), "float16"), B: T.Tensor((2, 64, 96), "float16"), C: T.Tensor((32, 64), "float32")
    ):
        with T.Kernel(1):
            a, b = T.alloc_l1((16, 32), "float16"), T.alloc_l1((32, 32), "float16")
            d, e = T.alloc_l1((16, 32), "float16"), T.alloc_l1((32, 32), "float16")
            c = T.alloc_l0c((16, 32), "float32")
            for m in T.serial(2):
                for n in T.Pipelined(2, num_stages=2):
                    for k in T.Pipelined(3, num_stages=stages):
                        T.copy(A[0, m * 16, k * 32], a)
                        T.copy(B[0, n * 32, k * 32], b)
                        T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
                        T.copy(A[1, m * 16, k * 32], d)
                        T.copy(B[1, n * 32, k * 32], e)
                        T.gemm(d, e, c, transpose_B=True)
                    T.copy(c, C[m * 16, n * 32])

    assert agrees(program, halves(2, 32, 96), halves(2, 64, 96), numbers(32, 64)).count(BARRIER) <= 1


def test_many_tiles_of_one_iteration() -> None:
    @T.prim_func
    def program(A: T.Tensor((9, 40), "float32"), B: T.Tensor((40,), "float32")):
        with T.Kernel(1):
            tiles = [T.alloc_shared((8,), "float32") for _ in range(9)]
            total = T.alloc_shared((8,), "float32")
            for k in T.serial(5):
                T.clear(total)
                for n, tile in enumerate(tiles):
                    T.copy(A[n, k * 8], tile)
                    with T.SimtVF(threads=32):
                        for i in T.Parallel(8):
                            total[i] = total[i] + tile[i]
                T.copy(total, B[k * 8])

    assert agrees(program, numbers(9, 40), numbers(40)).count(BARRIER) == 1
