"""C = A @ B.T on Ascend 950: tiles of A and B go through L1 and L0 to the cube unit, sums stay in L0C."""

import numpy as np
import tilelang
import tilelang.ascend.language as T


def gemm(M, N, K, block_M=128, block_N=256, block_K=64, num_stages=3, dtype="float16", out_dtype="float16"):
    """A kernel with a core for each tile of C; sums are in float32."""
    columns = -(-N // block_N)

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), out_dtype)):
        with T.Kernel(T.ceildiv(M, block_M) * columns) as bx:
            a = T.alloc_l1((block_M, block_K), dtype)
            b = T.alloc_l1((block_N, block_K), dtype)
            c = T.alloc_l0c((block_M, block_N), "float32")
            m, n = bx // columns * block_M, bx % columns * block_N
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[m : m + block_M, k * block_K : (k + 1) * block_K], a)
                T.copy(B[n : n + block_N, k * block_K : (k + 1) * block_K], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=(k == 0))
            T.copy(c, C[m : m + block_M, n : n + block_N])

    return main


def persistent_gemm(M, N, K, num_cores=4, block_M=128, block_N=256, block_K=64, num_stages=2):
    """The same by as many cores as there are, each with one tile of C after another."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(num_cores) as bx:
            a = T.alloc_l1((block_M, block_K), "float16")
            b = T.alloc_l1((block_N, block_K), "float16")
            c = T.alloc_l0c((block_M, block_N), "float32")
            for m, n in T.Persistent([T.ceildiv(M, block_M), T.ceildiv(N, block_N)], num_cores, bx):
                for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                    T.copy(A[m * block_M : (m + 1) * block_M, k * block_K : (k + 1) * block_K], a)
                    T.copy(B[n * block_N : (n + 1) * block_N, k * block_K : (k + 1) * block_K], b)
                    T.gemm(a, b, c, transpose_B=True, clear_accum=(k == 0))
                T.copy(c, C[m * block_M : (m + 1) * block_M, n * block_N : (n + 1) * block_N])

    return main


def check(M=300, N=500, K=200, make=gemm, target="ascend", **options):
    """Largest error against float64, in units of what rounding to float16 and float32 sums allow."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal((rows, K)).astype(np.float16) for rows in (M, N))
    c = np.full((M, N), np.nan, np.float16)
    tilelang.compile(make(M, N, K, **options), target=target)(a, b, c)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    want = wide_a @ wide_b.T
    allowed = (K + 2) * 2.0**-24 * (np.abs(wide_a) @ np.abs(wide_b).T) + np.abs(want) * 2.0**-11 + 2.0**-24
    error = (np.abs(c - want) / allowed).max()
    assert error <= 1, error
    return error


if __name__ == "__main__":
    print(f"largest error {check():.2f} of what rounding allows")
