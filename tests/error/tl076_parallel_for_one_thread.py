"""A parallel loop, which all threads run together, guarded for one thread: found when compiled."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding(0)
        if tx == 0:
            for i in T.Parallel(64):
                A[i] = 0.0


tilelang.compile(main, target="c")
