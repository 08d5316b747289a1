"""Memory of one thread indexed by a loop over all threads."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        mine = T.alloc_local((64,), "float32")
        for i in T.Parallel(64):
            mine[i] = A[i]
