"""Transpose through shared memory: B[n, m] = A[m, n], exact."""

import numpy as np
import tilelang
import tilelang.language as T
from placement import on_device, on_host


def transpose(M, N, block_M=32, block_N=64, dtype="float32", threads=128):
    """A kernel from (M, N) to (N, M)."""

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((N, M), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            tile = T.alloc_shared((block_M, block_N), dtype)
            turned = T.alloc_shared((block_N, block_M), dtype)
            T.copy(A[by * block_M, bx * block_N], tile)
            for i, j in T.Parallel(block_N, block_M):
                turned[i, j] = tile[j, i]
            T.copy(turned, B[bx * block_N, by * block_M])

    return main


def check(M=333, N=129):
    """Whether the result is the transpose, bit by bit."""
    a = np.random.default_rng().standard_normal((M, N), dtype=np.float32)
    tensors = on_device(a, np.full((N, M), np.nan, np.float32))
    tilelang.compile(transpose(M, N))(*tensors)
    b = on_host(tensors[-1])
    assert np.array_equal(b, a.T)
    return 0.0


if __name__ == "__main__":
    check()
    print("exact")
