"""C = A + B on Ascend 950: each core loads two tiles, adds them by threads of its vector engine, and stores one."""

import numpy as np
import tilelang
import tilelang.ascend.language as T


def vector_add(N, num_blocks=8, tile=4096, threads=256, num_stages=2):
    """A kernel for vectors of N elements; `num_stages` tiles of each vector are on their way at once."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(num_blocks) as bx:
            a = T.alloc_shared((tile,), "float32")
            b = T.alloc_shared((tile,), "float32")
            c = T.alloc_shared((tile,), "float32")
            for step in T.Pipelined(T.ceildiv(N, num_blocks * tile), num_stages=num_stages):
                begin = (step * num_blocks + bx) * tile
                T.copy(A[begin : begin + tile], a)
                T.copy(B[begin : begin + tile], b)
                with T.SimtVF(threads=threads):
                    for i in T.Parallel(tile):
                        c[i] = a[i] + b[i]
                T.copy(c, C[begin : begin + tile])

    return main


def check(N=100_003, target="ascend", **options):
    """Whether the sums are exact, on fresh random data."""
    a, b = np.random.default_rng().standard_normal((2, N), dtype=np.float32)
    c = np.full_like(a, np.nan)
    tilelang.compile(vector_add(N, **options), target=target)(a, b, c)
    assert np.array_equal(c, a + b)


if __name__ == "__main__":
    check()
    print("the sums are right, and nothing was found wrong with the kernel")
