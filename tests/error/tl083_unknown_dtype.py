"""A short name that is no type."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "fp16")):
    with T.Kernel(1, threads=64):
        T.fill(A, 0.0)
