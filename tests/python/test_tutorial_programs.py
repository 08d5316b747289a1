"""The programs of an introduction to the language, as a newcomer types them in."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
import tilelang
import tilelang.language as T

torch = pytest.importorskip("torch")


def vector_add_direct(N, block_N=256, threads=256, dtype="float16"):
    @T.prim_func
    def main(
        A: T.Tensor((N,), dtype),
        B: T.Tensor((N,), dtype),
        C: T.Tensor((N,), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            for i in T.Parallel(block_N):
                C[bx * block_N + i] = A[bx * block_N + i] + B[bx * block_N + i]

    return main


def vector_add_buffered(N, block_N=256, threads=256, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            A_local = T.alloc_fragment((block_N,), dtype)
            B_local = T.alloc_fragment((block_N,), dtype)
            C_local = T.alloc_fragment((block_N,), dtype)

            T.copy(A[bx * block_N], A_local)
            T.copy(B[bx * block_N], B_local)

            for i in T.Parallel(block_N):
                C_local[i] = A_local[i] + B_local[i]

            T.copy(C_local, C[bx * block_N])

    return main


@tilelang.jit(out_idx=[2])
def matmul_in_thread_memory(M, N, K, block_M=128, block_N=128, block_K=32):
    """The accumulator is an array of every thread; all of them hold the same tile."""

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype="float16"),
        B: T.Tensor((K, N), dtype="float16"),
        C: T.Tensor((M, N), dtype="float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_M, block_K), dtype="float16")
            B_tile = T.alloc_shared((block_K, block_N), dtype="float16")
            C_local = T.alloc_local((block_M, block_N), dtype="float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, k * block_K], A_tile)
                T.copy(B[k * block_K, bx * block_N], B_tile)
                T.gemm(A_tile, B_tile, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def halves(n):
    return torch.randn(n).half(), torch.randn(n).half()


@pytest.mark.parametrize("maker", [vector_add_direct, vector_add_buffered])
@pytest.mark.parametrize("n", [256, 1000, 2047, 1])
def test_vector_add(maker, n):
    a, b = halves(n)
    kernel = tilelang.compile(maker(n), out_idx=-1)
    assert torch.equal(kernel(a, b), a + b)


def test_two_dimensional_add():
    M, N, block_M, block_N = 77, 130, 16, 32

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            for local_y, local_x in T.Parallel(block_M, block_N):
                y = by * block_M + local_y
                x = bx * block_N + local_x
                C[y, x] = A[y, x] + B[y, x]

    a, b = torch.randn(M, N), torch.randn(M, N)
    assert torch.equal(tilelang.compile(main, out_idx=-1)(a, b), a + b)


@pytest.mark.parametrize("shape", [(128, 128, 128), (130, 260, 64)])
def test_matmul_in_thread_memory(shape):
    M, N, K = shape
    a, b = torch.randn(M, K).half(), torch.randn(K, N).half()
    error = (matmul_in_thread_memory(M, N, K)(a, b).double() - a.double() @ b.double()).abs()
    assert (error <= (K + 2) * 2.0**-23 * (a.double().abs() @ b.double().abs())).all()


def test_lazy_and_eager():
    @tilelang.jit(out_idx=-1)
    def build_add(N, block_N=256, threads=256, dtype="float16"):
        return vector_add_direct(N, block_N, threads, dtype)

    @tilelang.jit
    def add_eager(A, B, block_N=256, threads=256):
        N = T.const("N")
        dtype = "float16"
        A: T.Tensor((N,), dtype)
        B: T.Tensor((N,), dtype)
        C = T.empty((N,), dtype)
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            for i in T.Parallel(block_N):
                C[bx * block_N + i] = A[bx * block_N + i] + B[bx * block_N + i]
        return C

    a, b = halves(3000)
    kernel = build_add(3000)
    assert kernel is build_add(3000)
    assert torch.equal(kernel(a, b), a + b)
    assert torch.equal(add_eager(a, b), a + b)


def test_sources(tmp_path, capfd):
    kernel = tilelang.compile(vector_add_direct(1000), out_idx=-1)
    assert "for i in T.Parallel(block_N):" in kernel.get_kernel_source()
    assert isinstance(kernel.get_host_source(), str)
    for which in ("kernel", "host", "both"):
        kernel.show_source(which)
    assert "C[bx * 256 + i]" in capfd.readouterr().out
    kernel.export_sources(kernel_path=str(tmp_path / "k.cu"), host_path=str(tmp_path / "host.c"))
    assert (tmp_path / "k.cu").read_text() == kernel.get_kernel_source()

    @tilelang.jit(out_idx=-1, debug_root_path=str(tmp_path / "debug"))
    def build_add(N):
        return vector_add_direct(N)

    build_add(1000)
    assert sorted(p.name for p in (tmp_path / "debug").iterdir()) == [
        "tilelang_jit_kernel_build_add.c",
        "tilelang_jit_program_build_add.py",
    ]


def test_measuring_and_cache_switches():
    kernel = tilelang.compile(vector_add_direct(1000), out_idx=-1)
    assert kernel.get_profiler().do_bench() > 0
    tilelang.disable_cache()
    try:
        assert tilelang.compile(vector_add_direct(1000), out_idx=-1) is not kernel
    finally:
        tilelang.enable_cache()
    assert not hasattr(tilelang.cache, "clear_cache")  # programs of the other dialect tell the two apart by it


def test_an_interrupt_ends_a_run_of_the_interpreter():
    @T.prim_func
    def long(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for _ in T.serial(1 << 22):  # some ten seconds
                for j in T.Parallel(64):
                    A[j] = A[j] + 1

    kernel = tilelang.compile(long, target="interpret")
    # A process that a shell put into the background ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            kernel(np.zeros(64, "float32"))
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
