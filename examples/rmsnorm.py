"""RMSNorm: Y[m, :] = X[m, :] * W / sqrt(mean(X[m, :] ** 2) + eps)."""

import numpy as np
import tilelang
import tilelang.language as T
from placement import on_device, on_host


def rmsnorm(M, N, block_M=1, eps=1e-6, dtype="float32", threads=128):
    """A kernel for (M, N) rows and (N,) weights; sums are in float32."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            squares = T.alloc_fragment((block_M, N), "float32")
            scale = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            for i, j in T.Parallel(block_M, N):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, scale, dim=1)
            for i in T.Parallel(block_M):
                scale[i] = T.rsqrt(scale[i] / N + eps)
            for i, j in T.Parallel(block_M, N):
                Y[bx * block_M + i, j] = x[i, j] * scale[i] * W[j]

    return main


def check(M=37, N=1000, block_M=4):
    """Largest error against float64 on fresh random data, relative to the largest value."""
    rng = np.random.default_rng()
    x = rng.standard_normal((M, N), dtype=np.float32)
    w = rng.standard_normal(N, dtype=np.float32)
    tensors = on_device(x, w, np.full_like(x, np.nan))
    tilelang.compile(rmsnorm(M, N, block_M))(*tensors)
    y = on_host(tensors[-1])
    want = x.astype(np.float64) / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1, keepdims=True) + 1e-6) * w
    error = np.abs(y - want).max() / np.abs(want).max()
    assert error < 1e-5, error
    return error


if __name__ == "__main__":
    print(f"largest error relative to the largest value {check():.2e}")
