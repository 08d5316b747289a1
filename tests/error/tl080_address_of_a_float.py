"""A tensor at an address that is no pointer."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(address: T.float32, n: T.int32):
    A = T.make_tensor(address, (n,), "float32")
    with T.Kernel(1, threads=32):
        A[0] = 1.0


tilelang.compile(main, target="c")
