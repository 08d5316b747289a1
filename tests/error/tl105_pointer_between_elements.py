"""A pointer that is not aligned to the elements of its tensor."""

import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(p: T.ptr):
    A = T.make_tensor(p, (4,), "float32")
    with T.Kernel(1, threads=32):
        A[0] = 1.0


memory = np.zeros(64, np.int8)
tilelang.compile(main, target="c")(memory.ctypes.data // 16 * 16 + 2)
