"""A whole buffer where a condition of one element was meant."""

import tilelang.language as T


@T.prim_func
def main(mask: T.Tensor((64,), "bool"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            if mask:
                B[i] = 0.0
