"""A loop over a buffer, as over a Python list."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=64):
        total = T.alloc_var("float32", init=0.0)
        for x in A:
            total += x
        B[0] = total
