"""An array that the scalar code of a core has for itself, read by threads."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def spread(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        values = T.alloc_local((2,), "float32")
        values[0] = A[0]
        with T.SimtVF(threads=64):
            for i in T.Parallel(64):
                A[i] = values[0]


tilelang.compile(spread, target="ascend")
