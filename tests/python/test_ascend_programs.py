"""Programs of the Ascend 950 dialect: their results on their meaning, and what the checker finds."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T
from tracing import interpret

RANDOM = np.random.default_rng(950)


@pytest.mark.parametrize("size", [1, 255, 1003])
def test_vector_add_with_a_tail(size: int) -> None:
    n = T.dynamic("n")

    @T.prim_func
    def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256)) as bx:
            a, b = T.alloc_shared((256,), "float32"), T.alloc_shared((256,), "float32")
            T.copy(A[bx * 256], a)
            T.copy(B[bx * 256], b)
            with T.SimtVF(threads=128):
                for i in T.Parallel(256):
                    a[i] = a[i] + b[i]
            T.copy(a, C[bx * 256])

    a, b = RANDOM.standard_normal((2, size)).astype(np.float32)
    c = np.zeros_like(a)
    interpret(add, a, b, c)
    assert (c == a + b).all()


def test_softmax_of_rows() -> None:
    rows, columns, block = 13, 77, 4

    @T.prim_func
    def softmax(A: T.Tensor((rows, columns), "float32"), B: T.Tensor((rows, columns), "float32")):
        with T.Kernel(T.ceildiv(rows, block)) as bx:
            tile = T.alloc_shared((block, columns), "float32")
            T.copy(A[bx * block, 0], tile)
            with T.SimtVF(threads=256):
                x = T.alloc_fragment((block, columns), "float32")
                largest, total = T.alloc_fragment((block,), "float32"), T.alloc_fragment((block,), "float32")
                T.copy(tile, x)
                T.reduce_max(x, largest, dim=1)
                for i, j in T.Parallel(block, columns):
                    x[i, j] = T.exp(x[i, j] - largest[i])
                T.reduce_sum(x, total, dim=1)
                for i, j in T.Parallel(block, columns):
                    tile[i, j] = x[i, j] / total[i]
            T.copy(tile, B[bx * block, 0])

    a = RANDOM.standard_normal((rows, columns)).astype(np.float32)
    b = np.zeros_like(a)
    interpret(softmax, a, b)
    e = np.exp(a.astype(np.float64) - a.max(1, keepdims=True))
    assert np.allclose(b, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)


def test_persistent_rms_norm() -> None:
    rows, columns, cores = 11, 130, 4

    @T.prim_func
    def norm(
        A: T.Tensor((rows, columns), "float16"),
        W: T.Tensor((columns,), "float32"),
        B: T.Tensor((rows, columns), "float16"),
    ):
        with T.Kernel(cores) as core:
            weight = T.alloc_shared((columns,), "float32")
            x, y = T.alloc_shared((columns,), "float16"), T.alloc_shared((columns,), "float16")
            T.copy(W, weight)
            for row in T.Persistent([rows], cores, core):
                T.copy(A[row, 0], x)
                with T.SimtVF(threads=64):
                    square, total = T.alloc_fragment((columns,), "float32"), T.alloc_fragment((1,), "float32")
                    for j in T.Parallel(columns):
                        square[j] = T.cast(x[j], "float32") * T.cast(x[j], "float32")
                    T.reduce_sum(square, total, dim=0)
                    for j in T.Parallel(columns):
                        y[j] = x[j] * T.rsqrt(total[0] / columns + 1e-6) * weight[j]
                T.copy(y, B[row, 0])

    a = RANDOM.standard_normal((rows, columns)).astype(np.float16)
    w = RANDOM.standard_normal(columns).astype(np.float32)
    b = np.zeros_like(a)
    interpret(norm, a, w, b)
    wide = a.astype(np.float64)
    assert np.allclose(b, wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6) * w, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize(("M", "N", "K"), [(32, 32, 64), (45, 70, 99)])
def test_pipelined_gemm(M: int, N: int, K: int) -> None:
    block_m, block_n, block_k, cores = 32, 48, 32, 3

    @T.prim_func
    def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(cores) as core:
            a, b = T.alloc_l1((block_m, block_k), "float16"), T.alloc_l1((block_n, block_k), "float16")
            c = T.alloc_l0c((block_m, block_n), "float32")
            for m, n in T.Persistent([T.ceildiv(M, block_m), T.ceildiv(N, block_n)], cores, core):
                for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=2):
                    T.copy(A[m * block_m, k * block_k], a)
                    T.copy(B[n * block_n, k * block_k], b)
                    T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0)
                T.copy(c, C[m * block_m, n * block_n])

    a, b = (RANDOM.standard_normal(shape).astype(np.float16) for shape in ((M, K), (N, K)))
    c = np.zeros((M, N), np.float32)
    interpret(matmul, a, b, c)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, atol=(K + 2) * 2**-23 * K)


def test_persistent_loops_over_sizes_of_run_time(caplog) -> None:
    m, n = T.dynamic("m, n")

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "int32"), cores: T.int32):
        with T.Kernel(cores) as bx:
            for i, j in T.Persistent([m, n], cores, bx):
                A[i, j] += bx + 1

    assert not [record for record in caplog.records if "step" in record.getMessage()]
    for shape in ((1, 1), (3, 17), (8, 8)):
        for cores in (1, 3, 40):
            a = np.zeros(shape, np.int32)
            interpret(kernel, a, cores)
            assert sorted(a.ravel()) == sorted(1 + np.arange(a.size) % cores)


@pytest.mark.parametrize(
    ("domain", "cores", "panel"), [((5, 13), 3, 8), ((3, 2, 11), 7, 4), ((4, 3), 24, 8), ((7, 5), 2, None)]
)
def test_persistent_loops_visit_every_tile_once(domain: tuple, cores: int, panel: int | None) -> None:
    @T.prim_func
    def kernel(A: T.Tensor(domain, "int32"), order: T.Tensor(domain, "int32")):
        with T.Kernel(cores) as bx:
            step = T.alloc_var("int32", init=0)
            for tile in T.Persistent(list(domain), cores, bx, panel):
                A[tile] += 1
                order[tile] = step * cores + bx
                step += 1

    a, order = np.zeros(domain, np.int32), np.zeros(domain, np.int32)
    interpret(kernel, a, order)
    assert (a == 1).all()
    # Panels of columns one after the other, each row by row.
    numbers = np.empty(domain, np.int32)
    width, first = panel or domain[-1], 0
    for left in range(0, domain[-1], width):
        part = numbers[..., left : left + width]
        part[...] = first + np.arange(part.size).reshape(part.shape)
        first += part.size
    assert (order == numbers).all()


def test_eager_kernels_and_macros() -> None:
    @T.macro
    def doubled(tile, size):
        with T.SimtVF(threads=32):
            for i in T.Parallel(size):
                tile[i] = tile[i] * 2

    @tilelang.jit(target="interpret")
    def double(A):
        N = T.const("N")
        A: T.Tensor((N,), "float32")
        B = T.empty((N,), "float32")
        with T.Kernel(T.ceildiv(N, 64)) as bx:
            tile = T.alloc_shared((64,), "float32")
            T.copy(A[bx * 64], tile)
            doubled(tile, 64)
            T.copy(tile, B[bx * 64])
        return B

    a = RANDOM.random(99, np.float32)
    assert (double(a) == 2 * a).all()


# What the checker finds.


def finding(function, code: str, *arrays) -> str:
    with pytest.raises(RuntimeError, match=code) as caught:
        interpret(function, *arrays)
    return str(caught.value)


def test_threads_of_a_region_race() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32,), "int32")):
        with T.Kernel(1):
            ub = T.alloc_shared((32,), "int32")
            with T.SimtVF(32):
                t = T.get_thread_binding()
                ub[t // 2] = t
            T.copy(ub, A)

    @T.prim_func
    def exchange(A: T.Tensor((32,), "int32")):
        with T.Kernel(1):
            ub = T.alloc_shared((32,), "int32")
            ub[0] = 7
            with T.SimtVF(32):
                t = T.get_thread_binding()
                if t > 0:
                    ub[t] = ub[0] + t
                T.sync_threads()
                A[t] = ub[31 - t]
            ub[0] = 8
            with T.SimtVF(16):
                A[T.get_thread_binding()] += ub[0]

    a = np.zeros(32, np.int32)
    assert "thread (1, 0, 0)" in finding(kernel, "TL123", a)
    interpret(exchange, a)
    assert (a == np.where(np.arange(32) == 31, 7, 38 - np.arange(32)) + np.where(np.arange(32) < 16, 8, 0)).all()


def test_points_of_a_region_conflict() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32,), "int32")):
        with T.Kernel(1), T.SimtVF(32):
            for i in T.Parallel(32):
                A[i // 2] = i

    finding(kernel, "TL122", np.zeros(32, np.int32))
