"""An order for one of two statements."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=64):
        tile = T.alloc_shared((64,), "float32")
        for k in T.Pipelined(64, num_stages=2, order=[0], stage=[0]):
            T.copy(A[k, 0:64], tile)
            T.copy(tile, B[k, 0:64])
