"""A variable of the core's scalar code that vector threads write."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def count(A: T.Tensor((64,), "int32")):
    with T.Kernel(1):
        found = T.alloc_var("int32", init=0)
        with T.SimtVF(threads=64):
            found += 1
        A[0] = found


tilelang.compile(count, target="interpret")
