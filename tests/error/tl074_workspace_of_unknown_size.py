"""A workspace whose size is a value of the launch: it is made before the first statement."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "int32")):
    with T.Kernel(4, threads=32) as bx:
        scratch = T.alloc_global((bx + 1,), "int32")
        scratch[0] = A[bx]


tilelang.compile(main, target="c")
