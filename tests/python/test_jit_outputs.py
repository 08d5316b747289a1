"""Outputs of kernels: which parameters they are, their sizes, where they are made."""

from __future__ import annotations

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def scaled(n: int = 8, factor=2, dtype="float32"):
    @T.prim_func
    def k(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = A[i] * factor

    return k


def vector(n=8, dtype=np.float32):
    return np.arange(n).astype(dtype)


def test_out_idx_forms():
    function = kernels.scale(4, 4)
    a = np.ones((4, 4), np.float32)
    for out_idx in (1, [1], (1,), -1, [-1]):
        kernel = tilelang.compile(function, out_idx=out_idx)
        assert kernel.out_idx == [1]
        assert np.array_equal(kernel(a), a * 2)
    both = tilelang.compile(function, out_idx=[0, 1])
    outputs = both()
    assert isinstance(outputs, list) and [o.shape for o in outputs] == [(4, 4)] * 2
    first = tilelang.compile(_fill_first(), out_idx=[0])
    assert np.array_equal(first(np.zeros(3, np.float32)), np.ones(3))


def _fill_first():
    @T.prim_func
    def k(A: T.Tensor((3,), "float32"), B: T.Tensor((3,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(3):
                A[i] = B[i] + 1

    return k


@pytest.mark.parametrize(
    ("out_idx", "kind", "match"),
    [
        (2, ValueError, "out_idx index 2 is out of range for a function with 2 parameters"),
        (-3, ValueError, "out_idx index -3 is out of range"),
        ([1, -1], ValueError, "duplicate tensor indices"),
        ("1", TypeError, "out_idx"),
        (1.5, TypeError, "out_idx"),
        (True, TypeError, "out_idx"),
    ],
)
def test_wrong_out_idx(out_idx, kind, match):
    with pytest.raises(kind, match=match):
        tilelang.compile(kernels.scale(), out_idx=out_idx)


def test_scalar_and_0_dim_outputs_are_refused():
    with pytest.raises(ValueError, match="scalar `s`"):
        tilelang.compile(kernels.add_scalar(), out_idx=1)

    @T.prim_func
    def k(A: T.Tensor((), "int32")):
        with T.Kernel(1, threads=1):
            A[()] = 1

    with pytest.raises(ValueError, match="0-dimensional"):
        tilelang.compile(k, out_idx=0)


def test_t_empty_conflicts_with_out_idx():
    @T.prim_func
    def k(A: T.Tensor((4,), "int32")):
        B = T.empty((4,), "int32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                B[i] = A[i] + 1
        return B

    with pytest.raises(ValueError, match="Out index conflict"):
        tilelang.compile(k, out_idx=[0])
    assert np.array_equal(tilelang.compile(k)(vector(4, np.int32)), vector(4) + 1)


def test_outputs_are_solved_before_they_are_made():
    """The output stands before the input that fixes its size, and has a size of its own."""
    m = T.dynamic("m")

    @T.prim_func
    def k(C: T.Tensor((m + 1,), "int32"), A: T.Tensor((m,), "int32")):
        with T.Kernel(1, threads=32):
            C[m] = m

    kernel = tilelang.compile(k, out_idx=[0])
    for size in (1, 5):
        out = kernel(np.zeros(size, np.int32))
        assert out.shape == (size + 1,) and out[size] == size
    with pytest.raises(ValueError, match=r"Kernel expected 1 inputs, but 2 are provided\."):
        kernel(np.zeros(2, np.int32), np.zeros(2, np.int32))


def test_outputs_belong_to_the_framework_of_the_inputs():
    torch = pytest.importorskip("torch")
    kernel = scaled(8)
    out = kernel(torch.arange(8, dtype=torch.float32))
    assert isinstance(out, torch.Tensor) and out.device.type == "cpu"
    assert isinstance(kernel(vector()), np.ndarray)


def test_kernels_without_tensors_or_with_scalars_only():
    @tilelang.jit(out_idx=[0])
    def fill():
        @T.prim_func
        def k(A: T.Tensor((4,), "int32"), s: T.int32):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    A[i] = s

        return k

    assert np.asarray(fill()(7)).tolist() == [7] * 4

    @T.prim_func
    def nothing():
        with T.Kernel(1, threads=32):
            T.sync_threads()

    assert tilelang.compile(nothing)() == []
