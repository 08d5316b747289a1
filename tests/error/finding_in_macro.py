"""A finding of the interpreter two macros deep: the calls that led there are shown."""

import numpy as np
import tilelang
import tilelang.language as T


@T.macro
def shift_left(row, n):
    for i in T.serial(n):
        row[i] = row[i + 1]


@T.macro
def shift_twice(row, n):
    shift_left(row, n)
    shift_left(row, n)


@T.prim_func
def main(A: T.Tensor((8,), "int32"), n: T.int32):
    with T.Kernel(1, threads=8):
        row = T.alloc_shared((8,), "int32")
        T.copy(A, row)
        shift_twice(row, n)
        T.copy(row, A)


kernel = tilelang.compile(main, target="interpret")
kernel(np.arange(8, dtype=np.int32), 8)
