"""Row softmax on Ascend 950: a core keeps a few rows in its unified buffer, and its threads reduce along them."""

import numpy as np
import tilelang
import tilelang.ascend.language as T


def softmax(M, N, block_M=4, num_blocks=8, threads=256, dtype="float32"):
    """A kernel for (M, N) rows; the arithmetic is in float32."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(num_blocks) as bx:
            x = T.alloc_shared((block_M, N), dtype)
            y = T.alloc_shared((block_M, N), dtype)
            for step in T.Pipelined(T.ceildiv(M, num_blocks * block_M), num_stages=2):
                row = (step * num_blocks + bx) * block_M
                T.copy(X[row : row + block_M, 0:N], x)
                with T.SimtVF(threads=threads):
                    e = T.alloc_fragment((block_M, N), "float32")
                    row_max = T.alloc_fragment((block_M,), "float32")
                    row_sum = T.alloc_fragment((block_M,), "float32")
                    T.copy(x, e)
                    T.reduce_max(e, row_max, dim=1)
                    for i, j in T.Parallel(block_M, N):
                        e[i, j] = T.exp(e[i, j] - row_max[i])
                    T.reduce_sum(e, row_sum, dim=1)
                    for i, j in T.Parallel(block_M, N):
                        y[i, j] = e[i, j] / row_sum[i]
                T.copy(y, Y[row : row + block_M, 0:N])

    return main


def check(M=37, N=1000, target="ascend", **options):
    """Largest relative error against float64, on fresh random data."""
    x = np.random.default_rng().standard_normal((M, N), dtype=np.float32) * 4
    y = np.full_like(x, np.nan)
    tilelang.compile(softmax(M, N, **options), target=target)(x, y)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    error = (np.abs(y - want) / want).max()
    assert error < (N + 64) * 2.0**-24, error
    return error


if __name__ == "__main__":
    print(f"largest relative error {check():.2e}")
