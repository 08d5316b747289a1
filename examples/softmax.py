"""Row softmax: Y[m, :] = exp(X[m, :] - max) / sum, one or more rows a program, the row kept on chip."""

import numpy as np
import tilelang
import tilelang.language as T
from placement import on_device, on_host


def softmax(M, N, block_M=1, dtype="float32", threads=128):
    """A kernel for (M, N) rows; the arithmetic is in float32."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            row_max = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            T.reduce_max(x, row_max, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = T.exp(x[i, j] - row_max[i])
            T.reduce_sum(x, row_sum, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] / row_sum[i]
            T.copy(x, Y[bx * block_M, 0])

    return main


def check(M=37, N=1000, block_M=4):
    """Largest relative error against float64, on fresh random data."""
    x = np.random.default_rng().standard_normal((M, N), dtype=np.float32) * 4
    tensors = on_device(x, np.full_like(x, np.nan))
    tilelang.compile(softmax(M, N, block_M))(*tensors)
    y = on_host(tensors[-1])
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    error = (np.abs(y - want) / want).max()
    assert error < 1e-5, error
    return error


if __name__ == "__main__":
    print(f"largest relative error {check():.2e}")
