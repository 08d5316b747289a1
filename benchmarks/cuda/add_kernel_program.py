"""The program whose calls launch_overhead.py measures."""

import tilelang.language as T


@T.prim_func
def add(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    """C = A + B in one block."""
    with T.Kernel(1, threads=256):
        for i in T.Parallel(256):
            C[i] = A[i] + B[i]
