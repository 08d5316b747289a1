"""A barrier that half of the threads do not reach: found when compiled."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding(0)
        tile = T.alloc_shared((64,), "float32")
        if tx < 32:
            tile[tx] = A[tx]
            T.sync_threads()
            A[tx] = tile[31 - tx]


tilelang.compile(main, target="c")
