"""A flag that the C++ compiler refuses."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        T.fill(A, 0.0)


tilelang.compile(main, target="c", compile_flags=["-include", "no_such_header.h"])
