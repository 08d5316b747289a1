"""Kernels that other implementations of the language read as well; run as a script, prints what they emit for them."""

import json

import tilelang
import tilelang.ascend.language as T


def vector_add(count: int, block: int):
    @T.prim_func
    def main(A: T.Tensor((count,), "float32"), B: T.Tensor((count,), "float32"), C: T.Tensor((count,), "float32")):
        with T.Kernel(T.ceildiv(count, block)) as bx:
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            c = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], a)
            T.copy(B[bx * block], b)
            with T.SimtVF(threads=128):
                for i in T.Parallel(block):
                    c[i] = a[i] + b[i]
            T.copy(c, C[bx * block])

    return main


def gemm(m: int, n: int, k: int, block_m: int = 128, block_n: int = 256, block_k: int = 64):
    columns = -(-n // block_n)

    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, block_m) * columns) as block:
            a = T.alloc_l1((block_m, block_k), "float16")
            b = T.alloc_l1((block_n, block_k), "float16")
            c = T.alloc_l0c((block_m, block_n), "float32")
            for i in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[block // columns * block_m, i * block_k], a)
                T.copy(B[block % columns * block_n, i * block_k], b)
                T.gemm(a, b, c, transpose_B=True, clear_accum=i == 0)
            T.copy(c, C[block // columns * block_m, block % columns * block_n])

    return main


KERNELS = {
    "vector_add": lambda: vector_add(1 << 16, 2048),
    "vector_add_tail": lambda: vector_add(1_000_003, 2048),
    "gemm": lambda: gemm(1024, 1024, 1024),
    "gemm_tail": lambda: gemm(130, 260, 64),
}

if __name__ == "__main__":
    target = tilelang.backend.target.determine_target("ascend", return_object=True)
    with target:
        print(json.dumps({name: tilelang.lower(make(), target=target).kernel_source for name, make in KERNELS.items()}))
