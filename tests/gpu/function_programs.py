"""Functions of several launches, and what they compute."""

from __future__ import annotations

import numpy as np
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def reversed_sums(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), factor: T.float32):
    """B = factor * A backwards, plus A, by way of two workspaces; the second launch is skipped for small n."""
    blocks = T.ceildiv(n, 256)
    W = T.alloc_global((blocks * 256,), "float32")
    V = T.alloc_global((n, 2), "float32")
    with T.Kernel(blocks, threads=128) as bx:
        for i in T.Parallel(256):
            if bx * 256 + i < n:
                W[bx * 256 + i] = A[n - 1 - (bx * 256 + i)] * factor
    if n >= 0:
        with T.Kernel(blocks, threads=64) as bx:
            tile = T.alloc_shared((256,), "float32")
            for i in T.Parallel(256):
                tile[i] = A[bx * 256 + i]
            for i in T.Parallel(256):
                V[bx * 256 + i, 1] = tile[i]
    for k in T.serial(2):
        with T.Kernel(blocks, threads=256) as bx:
            for i in T.Parallel(256):
                if bx * 256 + i < n and k == (bx * 256 + i) % 2:
                    B[bx * 256 + i] = W[bx * 256 + i] + V[bx * 256 + i, 1]


def grid_rounds(blocks: int, rounds: int, threads: int = 128):
    """Every program adds, in each round, what the next program had in the round before."""

    @T.prim_func
    def main(A: T.Tensor((blocks, threads), "int32")):
        other = T.alloc_global((blocks, threads), "int32")
        with T.Kernel(blocks, threads=threads) as bx:
            for r in T.serial(rounds):
                for i in T.Parallel(threads):
                    other[bx, i] = A[(bx + 1) % blocks, threads - 1 - i] + r
                T.sync_grid()
                for i in T.Parallel(threads):
                    A[bx, i] = A[bx, i] * 3 + other[bx, i]
                T.sync_grid()

    return main


def rounds_on_host(a, rounds: int):
    a = a.astype(np.int32).copy()
    with np.errstate(over="ignore"):
        for r in range(rounds):
            a = a * 3 + np.roll(a, -1, axis=0)[:, ::-1] + r
    return a.astype(np.int32)


def numbers(blocks: int, threads: int = 128):
    return np.random.default_rng(1).integers(-1000, 1000, (blocks, threads), dtype=np.int32)


@T.prim_func
def doubled(p: T.ptr, q: T.ptr, rows: T.int32, pitch: T.int64):
    A = T.make_tensor(p, (rows, 64), "float32", (pitch, 1))
    B = T.make_tensor(q, (rows, 64), "float32")
    with T.Kernel(rows, threads=64) as bx:
        for j in T.Parallel(64):
            B[bx, j] = A[bx, j] * 2


def check_sums(sums, extent: int, device="cuda", skipped: int = 0, factor: float = 2.0) -> None:
    import torch

    a = torch.randn(extent + skipped, device=device)[skipped:]
    b = sums(a, factor)
    assert b.device == a.device and torch.equal(b, a.flip(0) * factor + a)
