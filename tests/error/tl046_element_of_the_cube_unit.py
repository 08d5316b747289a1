"""One sum of the cube unit that scalar code reads."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def first(A: T.Tensor((16, 16), "float16"), B: T.Tensor((1,), "float32")):
    with T.Kernel(1):
        a, c = T.alloc_l1((16, 16), "float16"), T.alloc_l0c((16, 16), "float32")
        T.copy(A, a)
        T.gemm(a, a, c, transpose_B=True, clear_accum=True)
        B[0] = c[0, 0]


tilelang.compile(first, target="interpret")
