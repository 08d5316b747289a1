"""A grid as large as a value in memory says: no target can know it at the launch."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(counts: T.Tensor((1,), "int32"), A: T.Tensor((1024,), "float32")):
    with T.Kernel(counts[0], threads=64) as bx:
        A[bx] = 0.0


tilelang.compile(main, target="c")
