"""A fragment indexed by a parallel loop whose extent is known only at run time."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64):
        tile = T.alloc_fragment((64,), "float32")
        for i in T.Parallel(n):
            tile[i] = A[i]
