"""An index one behind the end."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        row = T.alloc_shared((64,), "float32")
        T.copy(A, row)
        A[0] = row[64]
