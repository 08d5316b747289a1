"""A feature that this version does not have."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(4, threads=64, cluster_dims=2):
        T.fill(A, 0.0)
