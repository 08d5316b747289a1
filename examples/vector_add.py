"""Vector addition five ways: C = A + B.

Direct and through fragments, one- and two-dimensional, lazily and eagerly compiled. Each checks itself against float64.
"""

import numpy as np
import tilelang
import tilelang.language as T
from placement import on_device, on_host


def direct(N, block_N=256, threads=256, dtype="float32"):
    """Each element is read, added and written; the compiler guards the tail."""

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            for i in T.Parallel(block_N):
                C[bx * block_N + i] = A[bx * block_N + i] + B[bx * block_N + i]

    return main


def buffered(N, block_N=256, threads=256, dtype="float32"):
    """Tiles move through fragments; `A[bx * block_N]` names where a tile starts."""

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            A_local = T.alloc_fragment((block_N,), dtype)
            B_local = T.alloc_fragment((block_N,), dtype)
            C_local = T.alloc_fragment((block_N,), dtype)
            T.copy(A[bx * block_N], A_local)
            T.copy(B[bx * block_N], B_local)
            for i in T.Parallel(block_N):
                C_local[i] = A_local[i] + B_local[i]
            T.copy(C_local, C[bx * block_N])

    return main


def two_dimensional(M, N, block_M=32, block_N=128, threads=128, dtype="float32"):
    """A grid of tiles: bx runs along N, by along M."""

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            for local_y, local_x in T.Parallel(block_M, block_N):
                y = by * block_M + local_y
                x = bx * block_N + local_x
                C[y, x] = A[y, x] + B[y, x]

    return main


@tilelang.jit(out_idx=-1)
def lazy(N, block_N=256, threads=256, dtype="float32"):
    """Calling it compiles and returns the kernel; the output is allocated by the kernel's call."""

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
            for i in T.Parallel(block_N):
                C[bx * block_N + i] = A[bx * block_N + i] + B[bx * block_N + i]

    return main


@tilelang.jit
def eager(A, B, block_N=256, threads=256):
    """Calling it with tensors compiles for their shape (once) and runs."""
    N = T.const("N")
    dtype = "float32"
    A: T.Tensor((N,), dtype)
    B: T.Tensor((N,), dtype)
    C = T.empty((N,), dtype)
    with T.Kernel(T.ceildiv(N, block_N), threads=threads) as bx:
        for i in T.Parallel(block_N):
            C[bx * block_N + i] = A[bx * block_N + i] + B[bx * block_N + i]
    return C


def check(N=100_003, M=77):
    """Largest error of each form against float64, on fresh random data."""
    rng = np.random.default_rng()
    a, b = rng.standard_normal((2, N), dtype=np.float32)
    want = a.astype(np.float64) + b
    errors = {}
    for maker in (direct, buffered):
        tensors = on_device(a, b, np.full_like(a, np.nan))
        tilelang.compile(maker(N))(*tensors)
        errors[maker.__name__] = np.abs(on_host(tensors[-1]) - want).max()
    a2, b2 = rng.standard_normal((2, M, 1000), dtype=np.float32)
    tensors = on_device(a2, b2, np.full_like(a2, np.nan))
    tilelang.compile(two_dimensional(M, 1000))(*tensors)
    errors["two_dimensional"] = np.abs(on_host(tensors[-1]) - (a2.astype(np.float64) + b2)).max()
    a_device, b_device = on_device(a, b)
    errors["lazy"] = np.abs(on_host(lazy(N)(a_device, b_device)) - want).max()
    errors["eager"] = np.abs(on_host(eager(a_device, b_device)) - want).max()
    assert max(errors.values()) < 1e-6, errors
    return errors


if __name__ == "__main__":
    for name, error in check().items():
        print(f"{name:16} largest error {error:.2e}")
