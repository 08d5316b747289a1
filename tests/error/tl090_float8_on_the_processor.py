"""A tensor of eight-bit floats, which programs of the processor do not have yet."""

import tilelang
import tilelang.language as T


@T.prim_func
def load(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float8_e4m3fn")):
    with T.Kernel(1, threads=64):
        A[0] = T.cast(B[0], "float32")


tilelang.compile(load, target="c")
