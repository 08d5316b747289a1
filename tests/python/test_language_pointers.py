"""Parameters that are pointers, and tensors at addresses."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import tilelang
import tilelang.language as T
from tilelang._ffi import fn

TARGETS = ("c", "interpret")


@T.prim_func
def rows_doubled(p: T.ptr, q: T.ptr("float32"), rows: T.int32, pitch: T.int64):
    with T.Kernel(rows, threads=64) as bx:
        A = T.make_tensor(p, (rows, 60), "float32", (pitch, 1))
        B = T.Tensor.from_ptr(q, (rows, 60), "float32")
        for j in T.Parallel(64):
            B[bx, j] = A[bx, j] * 2


@pytest.mark.parametrize("target", TARGETS)
def test_addresses_of_every_kind(target: str) -> None:
    kernel = tilelang.compile(rows_doubled, target=target)
    a = np.random.default_rng(0).random((7, 100), np.float32)
    forms = (lambda x: x.ctypes.data, lambda x: ctypes.c_void_p(x.ctypes.data), lambda x: x)
    for first in forms:
        for second in forms:
            b = np.full((9, 60), np.nan, np.float32)
            kernel(first(a), second(b), 7, 100)
            assert (b[:7] == a[:, :60] * 2).all() and np.isnan(b[7:]).all()
    kernel(a.ctypes.data, b.ctypes.data, 0, 100)


def test_arrays_without_dimensions_are_memory_for_a_pointer() -> None:
    @T.prim_func
    def main(p: T.ptr):
        A = T.make_tensor(p, (1,), "int32")
        with T.Kernel(1, threads=32):
            A[0] = A[0] + 1

    a = np.array(41, np.int32)
    tilelang.compile(main, target="c")(a)
    assert a == 42


@pytest.mark.parametrize("target", TARGETS)
def test_addresses_as_integers(target: str) -> None:
    @T.prim_func
    def main(at: T.int64, n: T.int32):
        A = T.make_tensor_from_addr(at + 8, (n,), "int16")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                A[i] = i

    a = np.full(40, -1, np.int16)
    tilelang.compile(main, target=target)(a.ctypes.data, 30)
    assert a.tolist() == [-1] * 4 + list(range(30)) + [-1] * 6


def test_unused_pointers_may_be_null() -> None:
    @T.prim_func
    def main(p: T.ptr, unused: T.ptr):
        A = T.make_tensor(p, (4,), "int32")
        T.make_tensor(unused, (4,), "int32")
        with T.Kernel(1, threads=32):
            A[0] = 5

    kernel, a = tilelang.compile(main, target="c"), np.zeros(4, np.int32)
    for null in (None, 0, ctypes.c_void_p()):
        kernel(a, null)
        with pytest.raises(RuntimeError, match=r"\[TL107\].*`p`|\[TL107\]"):
            kernel(null, a)
    assert a[0] == 5


def test_what_is_written_through_a_pointer_is_not_read_only() -> None:
    a = np.zeros((1, 60), np.float32)
    a.flags.writeable = False
    kernel = tilelang.compile(rows_doubled, target="c")
    kernel(a, np.zeros((1, 60), np.float32), 1, 60)
    with pytest.raises(RuntimeError, match="read-only"):
        kernel(np.zeros((1, 60), np.float32), a, 1, 60)


def test_eager_kernels_take_pointers() -> None:
    @tilelang.jit(target="c")
    def fill(p: T.ptr, n: T.int32, value: int):
        A = T.make_tensor(p, (n,), "int32")
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            for i in T.Parallel(32):
                A[bx * 32 + i] = value

    a = np.zeros(100, np.int32)
    fill(a.ctypes.data, 77, 3)
    assert (a[:77] == 3).all() and (a[77:] == 0).all()


def test_the_general_variant_takes_pointers_between_vectors() -> None:
    """On CUDA alignment of pointers decides about variants, as that of tensors does."""

    @T.prim_func
    def main(p: T.ptr, q: T.ptr):
        A, B = T.make_tensor(p, (4096,), "float32"), T.make_tensor(q, (4096,), "float32")
        with T.Kernel(4, threads=128) as bx:
            for i in T.Parallel(1024):
                B[bx * 1024 + i] = A[bx * 1024 + i] + 1

    kernel = tilelang.lower(main, target={"kind": "cuda", "arch": "sm_80"})
    assert "copy<4>" in kernel.kernel_source
    artifact = fn.artifact_compile(main.handle, "sm_80", {}, "")[0]
    text = str(fn.artifact_text(artifact, "host_source"))
    assert 'variant "tensors aligned to 16 bytes" if (((0 | &p) | &q) & 15) == 0' in text


def test_workspaces_belong_to_the_call_wherever_they_stand() -> None:
    @T.prim_func
    def main(A: T.Tensor((8, 64), "int32")):
        with T.Kernel(8, threads=64) as bx:
            W = T.alloc_global((8, 64), "int32")
            for i in T.Parallel(64):
                W[bx, i] = A[bx, 63 - i]
            for i in T.Parallel(64):
                A[bx, i] = W[bx, i] + bx

    for target in TARGETS:
        a = np.arange(512, dtype=np.int32).reshape(8, 64)
        expected = a[:, ::-1] + np.arange(8)[:, None]
        tilelang.compile(main, target=target)(a)
        assert (a == expected).all()
    source = tilelang.lower(main, target={"kind": "cuda", "arch": "sm_80"}).kernel_source
    assert "main_kernel(int* A, int* W)" in source


def test_programs_wait_for_each_other() -> None:
    @T.prim_func
    def main(A: T.Tensor((8, 64), "int32"), rounds: T.int32):
        other = T.alloc_global((8, 64), "int32")
        with T.Kernel(8, threads=64) as bx:
            for r in T.serial(rounds):
                for i in T.Parallel(64):
                    other[bx, i] = A[(bx + 1) % 8, 63 - i] + r
                T.sync_grid()
                for i in T.Parallel(64):
                    A[bx, i] = A[bx, i] * 3 + other[bx, i]
                T.sync_grid()

    a = np.arange(512, dtype=np.int32).reshape(8, 64)
    found = a.copy()
    tilelang.compile(main, target="interpret")(found, 3)
    for r in range(3):
        a = a * 3 + np.roll(a, -1, axis=0)[:, ::-1] + r
    assert (found == a).all()
    source = tilelang.lower(main, target={"kind": "cuda", "arch": "sm_90a"}).kernel_source
    assert source.count("grid_barrier(grid_state);") == 2
