"""Programs that are measured on a CUDA device and are no examples."""

import tilelang.language as T

LOG2_E = 1.44269504


def softmax(M, N, block_M, dtype, threads):
    """Row softmax by exp2; the row stays in registers."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            row_max = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            T.reduce_max(x, row_max, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = T.exp2((x[i, j] - row_max[i]) * LOG2_E)
            T.reduce_sum(x, row_sum, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] /= row_sum[i]
            T.copy(x, Y[bx * block_M, 0])

    return main


def total(N, blocks=2048, block=2048, threads=256):
    """The sum of a vector in two kernels: a partial sum for each of `blocks` programs, then the sum of those."""

    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"),
        partial: T.Tensor((blocks,), "float32"),
        S: T.Tensor((1,), "float32"),
    ):
        with T.Kernel(blocks, threads=threads) as bx:
            tile = T.alloc_fragment((block,), "float32")
            sums = T.alloc_fragment((block,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.clear(sums)
            for k in T.serial(T.ceildiv(N, blocks * block)):
                T.copy(A[(k * blocks + bx) * block], tile)
                for i in T.Parallel(block):
                    sums[i] += tile[i]
            T.reduce_sum(sums, s, dim=0)
            T.copy(s, partial[bx])
        with T.Kernel(1, threads=threads):
            p = T.alloc_fragment((blocks,), "float32")
            t = T.alloc_fragment((1,), "float32")
            T.copy(partial[0], p)
            T.reduce_sum(p, t, dim=0)
            T.copy(t, S[0])

    return main


def add_rows(dtype: str, block: int = 1024, threads: int = 256):
    """C = A + B through fragments; rows and columns are those of the call."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def main(A: T.Tensor((m, n), dtype), B: T.Tensor((m, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, 2), threads=threads) as (bx, by):
            a = T.alloc_fragment((2, block), dtype)
            b = T.alloc_fragment((2, block), dtype)
            T.copy(A[by * 2, bx * block], a)
            T.copy(B[by * 2, bx * block], b)
            for i, j in T.Parallel(2, block):
                a[i, j] += b[i, j]
            T.copy(a, C[by * 2, bx * block])

    return main


def transpose(m: int, n: int, dtype: str, block: int = 64, threads: int = 256):
    """B[n, m] = A[m, n], through one tile that is written by rows and read by columns."""

    @T.prim_func
    def main(A: T.Tensor((m, n), dtype), B: T.Tensor((n, m), dtype)):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=threads) as (bx, by):
            tile = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                B[bx * block + i, by * block + j] = tile[j, i]

    return main
