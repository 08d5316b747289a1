"""An update of a fragment as a whole."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        acc = T.alloc_fragment((64,), "float32")
        T.copy(A, acc)
        acc += 1.0
        T.copy(acc, A)
