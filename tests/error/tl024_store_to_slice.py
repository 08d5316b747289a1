"""An assignment to a slice, as in NumPy."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        A[0:32] = 0.0
