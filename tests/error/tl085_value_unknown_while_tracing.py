"""A plain Python function that decides by a value of the kernel."""

import tilelang.language as T


def positive(x):
    return x if x > 0 else -x


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = positive(A[i])
