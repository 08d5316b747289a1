"""A neighbour that the last element of a tile does not have: found when compiled."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        row = T.alloc_shared((64,), "float32")
        T.copy(A, row)
        for i in T.Parallel(64):
            A[i] = row[i] + row[i + 1]


tilelang.compile(main, target="c")
