"""A tile filled with a value that each thread has for itself: found when compiled."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding(0)
        tile = T.alloc_shared((64,), "float32")
        T.fill(tile, tx * 1.0)
        T.copy(tile, A)


tilelang.compile(main, target="c")
