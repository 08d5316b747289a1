"""One stride for two dimensions."""

import tilelang.language as T


@T.prim_func
def main(A: T.StridedTensor((64, 32), (40,), "float32")):
    with T.Kernel(1, threads=64):
        T.fill(A, 0.0)
