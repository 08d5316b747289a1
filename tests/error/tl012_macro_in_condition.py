"""A macro with statements, called where the call may be skipped."""

import tilelang.language as T


@T.macro
def is_large(A, i):
    found = T.alloc_var("bool", init=False)
    found = A[i] > 10.0
    return found


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.serial(64):
            if A[i] > 0.0 and is_large(A, i):
                A[i] = 0.0
