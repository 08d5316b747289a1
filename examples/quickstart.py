"""GEMM + ReLU: C = max(A @ B, 0), the first kernel with shared memory, a pipelined loop and a tile multiply."""

import numpy as np
import tilelang
import tilelang.language as T
from placement import on_device, on_host


def matmul_relu(M, N, K, block_M=64, block_N=64, block_K=64, dtype="float32", accum_dtype="float32", threads=128):
    """A kernel for (M, K) times (K, N); sizes need not be multiples of the tiles."""

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, ko * block_K], A_shared)
                T.copy(B[ko * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] = T.max(C_local[i, j], 0)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def check(M=130, N=260, K=64):
    """Largest error against float64, relative to the sum of |a||b|, on fresh random data."""
    rng = np.random.default_rng()
    a = rng.standard_normal((M, K), dtype=np.float32)
    b = rng.standard_normal((K, N), dtype=np.float32)
    tensors = on_device(a, b, np.full((M, N), np.nan, np.float32))
    tilelang.compile(matmul_relu(M, N, K))(*tensors)
    c = on_host(tensors[-1])
    want = np.maximum(a.astype(np.float64) @ b, 0)
    error = (np.abs(c - want) / (np.abs(a).astype(np.float64) @ np.abs(b))).max()
    assert error <= (K + 2) * np.finfo(np.float32).eps, error
    return error


if __name__ == "__main__":
    for shape in ((1024, 1024, 1024), (130, 260, 64), (1, 7, 33)):
        print(f"{shape}: largest relative error {check(*shape):.2e}")
    kernel = tilelang.compile(matmul_relu(1024, 1024, 1024))
    kernel.show_source()
