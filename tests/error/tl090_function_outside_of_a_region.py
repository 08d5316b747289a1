"""An elementary function in the scalar code of a core."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def norm(A: T.Tensor((4,), "float32")):
    with T.Kernel(4) as bx:
        A[bx] = T.sqrt(A[bx])


tilelang.compile(norm, target="ascend")
