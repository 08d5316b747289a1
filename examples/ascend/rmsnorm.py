"""Y = X / rms(X) * W by rows on Ascend 950; the weights are loaded once a core."""

import numpy as np
import tilelang
import tilelang.ascend.language as T


def rmsnorm(M, N, block_M=2, num_blocks=8, threads=256, eps=1e-6, dtype="float32"):
    """A kernel for (M, N) rows; the arithmetic is in float32."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(num_blocks) as bx:
            w = T.alloc_shared((N,), dtype)
            x = T.alloc_shared((block_M, N), dtype)
            y = T.alloc_shared((block_M, N), dtype)
            T.copy(W, w)
            for step in T.Pipelined(T.ceildiv(M, num_blocks * block_M), num_stages=2):
                row = (step * num_blocks + bx) * block_M
                T.copy(X[row : row + block_M, 0:N], x)
                with T.SimtVF(threads=threads):
                    squares = T.alloc_fragment((block_M, N), "float32")
                    total = T.alloc_fragment((block_M,), "float32")
                    for i, j in T.Parallel(block_M, N):
                        squares[i, j] = x[i, j] * x[i, j]
                    T.reduce_sum(squares, total, dim=1)
                    for i, j in T.Parallel(block_M, N):
                        y[i, j] = x[i, j] * T.rsqrt(total[i] / N + eps) * w[j]
                T.copy(y, Y[row : row + block_M, 0:N])

    return main


def check(M=37, N=1000, target="ascend", **options):
    """Largest error against float64, on fresh random data."""
    rng = np.random.default_rng()
    x, w = rng.standard_normal((M, N), dtype=np.float32), rng.standard_normal(N, dtype=np.float32)
    y = np.full_like(x, np.nan)
    tilelang.compile(rmsnorm(M, N, **options), target=target)(x, w, y)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * w
    error = np.abs(y - want).max()
    assert error < 1e-4, error
    return error


if __name__ == "__main__":
    print(f"largest error {check():.2e}")
