"""A tensor of eight-bit floats, which the emitted Ascend C does not have yet."""

import tilelang
import tilelang.ascend.language as T


@T.prim_func
def load(
    A: T.Tensor((64,), "float32"),
    B: T.Tensor((64,), "float8_e4m3fn"),
):
    with T.Kernel(1):
        tile = T.alloc_shared((64,), "float8_e4m3fn")
        T.copy(B, tile)
        A[0] = 0.0


tilelang.compile(load, target="ascend")
