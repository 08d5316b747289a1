"""Pipelined loops give what the serial loop gives, to the last bit, at every trip count and alignment."""

from __future__ import annotations

import pytest
import tilelang
import tilelang.language as T

torch = pytest.importorskip("torch")


def sums_of(dtype: str) -> str:
    return {"float64": "float64", "int8": "int32"}.get(dtype, "float32")


def gemm(m: int, n: int, k: int, stages: int, dtype: str = "float16", tile: int = 32, threads: int = 128):
    sums = sums_of(dtype)

    @T.prim_func
    def gemm_kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), sums)):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=threads) as (bx, by):
            a = T.alloc_shared((64, tile), dtype)
            b = T.alloc_shared((tile, 64), dtype)
            c = T.alloc_fragment((64, 64), sums)
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, tile), num_stages=stages):
                T.copy(A[by * 64, ko * tile], a)
                T.copy(B[ko * tile, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return gemm_kernel


def dynamic_gemm(stages: int):
    k = T.dynamic("k")

    @T.prim_func
    def dynamic_gemm_kernel(
        A: T.Tensor((100, k), "float16"), B: T.Tensor((k, 96), "float16"), C: T.Tensor((100, 96), "float32")
    ):
        with T.Kernel(T.ceildiv(96, 64), T.ceildiv(100, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                T.copy(A[by * 64, ko * 32], a)
                T.copy(B[ko * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return dynamic_gemm_kernel


def rounds(blocks: int, n: int, stages: int):
    """A pipelined loop in a serial one: every block adds up rows, each read backwards within groups of 256."""

    @T.prim_func
    def rounds_kernel(A: T.Tensor((blocks * 4, n), "float32"), C: T.Tensor((blocks, 256), "float32")):
        with T.Kernel(blocks, threads=128) as bx:
            s = T.alloc_shared((256,), "float32")
            sums = T.alloc_fragment((256,), "float32")
            T.clear(sums)
            for r in T.serial(4):
                for ko in T.Pipelined(T.ceildiv(n, 256), num_stages=stages):
                    T.copy(A[bx * 4 + r, ko * 256], s)
                    for i in T.Parallel(256):
                        sums[i] = sums[i] + s[255 - i]
            T.copy(sums, C[bx, 0])

    return rounds_kernel


def run_gemm(program, a, b):
    sums = getattr(torch, sums_of(str(a.dtype).removeprefix("torch.")))
    c = torch.full((a.shape[0], b.shape[1]), 77, dtype=sums, device="cuda")
    tilelang.compile(program)(a, b, c)
    return c


def operands(m: int, n: int, k: int, dtype=torch.float16):
    return (10 * torch.randn(m, k, device="cuda")).to(dtype), (10 * torch.randn(k, n, device="cuda")).to(dtype)


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("k", [8, 32, 33, 64, 96, 100, 128, 160, 1000, 4096])
def test_every_trip_count(k: int, stages: int) -> None:
    a, b = operands(130, 200, k)
    assert torch.equal(run_gemm(gemm(130, 200, k, stages), a, b), run_gemm(gemm(130, 200, k, 0), a, b))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int8"])
def test_every_width_of_elements(dtype: str) -> None:
    a, b = operands(128, 128, 512, getattr(torch, dtype))
    assert torch.equal(run_gemm(gemm(128, 128, 512, 3, dtype), a, b), run_gemm(gemm(128, 128, 512, 0, dtype), a, b))


@pytest.mark.parametrize("stages", [2, 3, 5])
def test_trip_counts_known_at_run_time(stages: int) -> None:
    pipelined, serial = tilelang.compile(dynamic_gemm(stages)), tilelang.compile(dynamic_gemm(0))
    for k in (1, 31, 32, 64, 65, 96, 128, 136, 1024, 1031):
        a, b = operands(100, 96, k)
        got, want = (torch.full((100, 96), float("nan"), device="cuda") for _ in range(2))
        pipelined(a, b, got)
        serial(a, b, want)
        assert torch.equal(got, want), k


def test_tensors_that_are_not_aligned() -> None:
    m, n, k = 128, 128, 256
    a, b = torch.randn(m * k + 1, device="cuda").half()[1:].view(m, k), operands(m, n, k)[1]
    assert torch.equal(run_gemm(gemm(m, n, k, 3), a, b), run_gemm(gemm(m, n, k, 0), a, b))


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("n", [100, 256, 700, 4096])
def test_a_pipeline_in_a_loop(n: int, stages: int) -> None:
    a = torch.randn(264 * 4, n, device="cuda")
    got, want = (torch.full((264, 256), float("nan"), device="cuda") for _ in range(2))
    tilelang.compile(rounds(264, n, stages))(a, got)
    tilelang.compile(rounds(264, n, 0))(a, want)
    assert torch.equal(got, want)


def test_many_runs_agree() -> None:
    """A missing wait or barrier shows now and then only."""
    a, b = operands(2048, 2048, 2048)
    kernel = tilelang.compile(gemm(2048, 2048, 2048, 3))
    want = run_gemm(gemm(2048, 2048, 2048, 0), a, b)
    c = torch.empty_like(want)
    for _ in range(50):
        c.fill_(float("nan"))
        kernel(a, b, c)
        assert torch.equal(c, want)
