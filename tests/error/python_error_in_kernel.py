"""A mistake of plain Python while the kernel is traced passes as it is."""

import tilelang.language as T

sizes = {"small": 64}


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(sizes["large"]):
            A[i] = 0.0
