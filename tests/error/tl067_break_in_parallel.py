"""A break from a loop whose iterations have no order."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            if A[i] < 0.0:
                break
            A[i] = 0.0
