"""A mistake in loops and branches."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, 4, threads=64) as (bx, by):
        tile = T.alloc_fragment((16, 16), "float32")
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[bx * 16, k * 16], tile)
            for i in T.serial(16):
                if k > 0:
                    for j in T.unroll(16):
                        B[bx * 16 + i, by * 16 + j] = tile[i, j, k]
