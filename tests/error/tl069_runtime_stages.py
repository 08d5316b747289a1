"""A number of pipeline stages that is known only at run time."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), depth: T.int32):
    with T.Kernel(1, threads=64):
        for k in T.Pipelined(64, num_stages=depth):
            A[k] = 0.0
