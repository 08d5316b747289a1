"""What may stand in a region of vector threads, and what outside of one."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T
from tracing import interpret, refused


def test_what_stands_in_a_region() -> None:
    def parallel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(64):  # refused
                A[i] = 1.0

    def reduction(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a, s = T.alloc_shared((4, 8), "float32"), T.alloc_shared((4,), "float32")
            T.reduce_sum(a, s)  # refused

    def barrier(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.sync_threads()  # refused

    def fragment(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            T.alloc_fragment((64,), "float32")  # refused

    for wrong in (parallel, reduction, barrier, fragment):
        assert "[TileLang Semantic Check]" in refused(wrong, ValueError, "must be inside a VF block")


def test_what_stands_outside_of_regions() -> None:
    def product(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a, b = T.alloc_l1((16, 16), "float16"), T.alloc_l1((16, 16), "float16")
            c = T.alloc_l0c((16, 16), "float32")
            with T.SimtVF():
                T.gemm(a, b, c, transpose_B=True)  # refused

    def memory(A: T.Tensor((64,), "float32")):
        with T.Kernel(1), T.SimtVF():
            T.alloc_l1((16, 16), "float16")  # refused

    for wrong in (product, memory):
        refused(wrong, ValueError, "must be outside of VF blocks")


def test_what_a_region_leaves_behind() -> None:
    def buffer(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            with T.SimtVF():
                ub = T.alloc_shared((16,), "float32")
            T.copy(ub, A)  # refused

    def other_region(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            with T.SimtVF():
                ub = T.alloc_shared((16,), "float32")
            with T.SimtVF():
                T.copy(ub, A)  # refused

    def branch(A: T.Tensor((16,), "float32"), n: T.int32):
        kept = []
        with T.Kernel(1), T.SimtVF():
            if n > 0:
                kept.append(T.alloc_shared((16,), "float32"))
            T.copy(kept[0], A)  # refused

    def value(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            with T.SimtVF():
                x = A[0] + 1
            A[1] = x  # refused

    refused(branch, RuntimeError, "is used outside its defining region")
    for wrong in (buffer, other_region):
        refused(wrong, ValueError, "buffer `ub` was allocated inside a VF block and may not be used outside of it")
    refused(value, RuntimeError, "is used outside its defining region")


def test_variables_of_the_core() -> None:
    def written(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=0)
            with T.SimtVF():
                v = 1  # refused
            A[v] = 1.0

    def array(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            v = T.alloc_local((4,), "float32")
            v[0] = 1.0
            with T.SimtVF():
                A[0] = v[0]  # refused

    def cube(A: T.Tensor((16, 16), "float32")):
        with T.Kernel(1):
            c = T.alloc_l0c((16, 16), "float32")
            T.copy(c, A)
            A[0, 0] = c[1, 1]  # refused

    def interpreted(function):
        return tilelang.compile(T.prim_func(function), target="interpret")

    refused(written, ValueError, "variable `v` was allocated outside of a VF block", trace=interpreted)
    refused(array, ValueError, "local array `v` was allocated outside", trace=interpreted)
    refused(cube, ValueError, "tiles of l0c memory are moved as a whole", trace=interpreted)

    @T.prim_func
    def read(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=3)
            v += 1
            with T.SimtVF(16):
                own = T.alloc_var("int32", init=v)
                own += T.get_thread_binding()
                A[T.get_thread_binding()] = own

    a = np.zeros(16, np.float32)
    interpret(read, a)
    assert (a == np.arange(4, 20)).all()


def test_other_targets_refuse_cores() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            A[0] = 1.0

    for target in ("c", "cuda"):
        with pytest.raises(RuntimeError, match=r'one of AI cores(.|\n)*target="ascend"'):
            tilelang.compile(kernel, target=target)


def test_regions_need_cores() -> None:
    import tilelang.language as common

    def kernel(A: T.Tensor((16,), "float32")):
        with common.Kernel(1):
            with T.SimtVF():  # refused
                A[0] = 1.0

    refused(kernel, ValueError, "not one of AI cores")
