"""A copy in a loop over elements."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64):
        row = T.alloc_shared((32,), "float32")
        for i in T.Parallel(64):
            T.copy(A[i, 0:32], row)
