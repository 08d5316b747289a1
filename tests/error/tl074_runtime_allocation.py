"""A fragment as large as a tensor whose size is known only at run time."""

import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def main(A: T.Tensor((n,), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_fragment((n,), "float32")
        T.copy(A, tile)
