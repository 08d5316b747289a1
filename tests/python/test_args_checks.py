"""Every row of the argument checks: what is refused, with which class and words, and what is accepted."""

from __future__ import annotations

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T


@pytest.fixture(scope="module")
def scale():
    return tilelang.compile(kernels.scale())


@pytest.fixture(scope="module")
def add_scalar():
    return tilelang.compile(kernels.add_scalar())


def array(m=8, n=16, dtype=np.float32):
    return np.arange(m * n).reshape(m, n).astype(dtype)


def refused(kernel, *args, match: str, kind: type = RuntimeError):
    with pytest.raises(kind, match=match) as found:
        kernel(*args)
    assert isinstance(found.value, tilelang.TileLangError)


def test_a_good_call(scale):
    a, b = array(), array() * 0
    assert scale(a, b) == []
    assert np.array_equal(b, a * 2)


def test_count(scale):
    refused(scale, array(), match=r"Kernel expected 2 inputs, but 1 are provided\.", kind=ValueError)
    refused(scale, array(), array(), array(), match=r"k: num_args should be 2", kind=ValueError)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        scale(A=array(), B=array())


@pytest.mark.parametrize("value", [[1.0], "text", 1.5, object(), {}, 1 + 2j])
def test_kind(scale, value):
    refused(scale, value, array(), match="kernel k input A expected pointer or tensor handle")


def test_kind_names_the_type(scale):
    refused(scale, array(), [1.0], match="kernel k input B .*got: list")


def test_null(scale):
    refused(scale, None, array(), match="kernel k input A is expected to have non-NULL pointer")


def test_rank(scale):
    refused(scale, array().ravel(), array(), match=r"kernel k input A ndim mismatch, expected 2; expected: 2, got: 1")


def test_dtype(scale):
    wrong = array(dtype=np.float64)
    refused(scale, wrong, array(), match="kernel k input A dtype mismatch, expected float32; got: float64")
    refused(scale, array(dtype=np.complex64), array(), match="dtype mismatch, expected float32; got: complex64")
    refused(scale, array(dtype=">f4"), array(), match="dtype mismatch, expected float32; got: >f4")
    refused(scale, array(dtype="U4"), array(), match="dtype mismatch")


def test_shape(scale):
    message = r"kernel k input B shape\[1\] violates packed ABI constraint; expected: 16, got: 8"
    refused(scale, array(), array(8, 8), match=message)


def test_strides(scale):
    message = "kernel k input A expected to be compact array, but got non-compact strides"
    refused(scale, array(8, 32)[:, ::2], array(), match=message)
    refused(scale, array(16, 16)[::2], array(), match=message)
    refused(scale, array(16, 8).T, array(), match=message)
    refused(scale, array()[::-1], array(), match=message)
    bytes_apart = np.lib.stride_tricks.as_strided(np.zeros(4096, np.float32), (8, 16), (66, 4))
    refused(scale, bytes_apart, array(), match=message)


def test_alignment(scale):
    odd = np.frombuffer(bytearray(8 * 16 * 4 + 1), np.uint8)[1:].view(np.float32).reshape(8, 16)
    refused(scale, odd, array(), match="kernel k input A data pointer is not aligned")


def test_declared_strides():
    @T.prim_func
    def k(A: T.StridedTensor((4, 8), (16, 2), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(1, threads=32):
            for i, j in T.Parallel(4, 8):
                B[i, j] = A[i, j]

    kernel = tilelang.compile(k)
    a, b = array(4, 16)[:, ::2], array(4, 8) * 0
    kernel(a, b)
    assert np.array_equal(a, b)
    refused(
        kernel,
        array(4, 8),
        b,
        match=r"kernel k input A strides\[0\] violates packed ABI constraint; expected: 16, got: 8",
    )


def test_size_one_dimensions_have_any_stride():
    kernel = tilelang.compile(kernels.scale(1, 16))
    a, b = np.lib.stride_tricks.as_strided(array(1, 16), (1, 16), (999, 4)), array(1, 16) * 0
    kernel(a, b)
    assert np.array_equal(b, a * 2)


@pytest.mark.parametrize(("m", "n"), [(8, 0), (0, 16), (0, 0)])
def test_tensors_without_elements(m, n):
    kernel = tilelang.compile(kernels.scale(m, n))
    kernel(np.zeros((m, n), np.float32), np.zeros((m, n), np.float32))
    torch = pytest.importorskip("torch")
    kernel(torch.zeros(m, n), torch.zeros(m, n))


def test_gemm_over_nothing_is_zero():
    """A of shape (128, 0): the product is zero."""

    @T.prim_func
    def k(A: T.Tensor((64, 0), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            C_local = T.alloc_fragment((64, 64), "float32")
            T.clear(C_local)
            T.copy(C_local, C)

    kernel = tilelang.compile(k)
    c = np.full((64, 64), 7, np.float32)
    kernel(np.zeros((64, 0), np.float16), c)
    assert not c.any()
    torch = pytest.importorskip("torch")
    out = torch.full((64, 64), 7.0)
    kernel(torch.zeros(64, 0, dtype=torch.float16), out)
    assert not out.any()


def test_symbols_are_checked_where_they_occur_again():
    m = T.dynamic("m")

    @T.prim_func
    def k(A: T.Tensor((m, 4), "float32"), B: T.Tensor((m * 2,), "float32")):
        with T.Kernel(1, threads=32):
            B[0] = A[0, 0]

    kernel = tilelang.compile(k)
    kernel(array(3, 4), np.zeros(6, np.float32))
    refused(
        kernel,
        array(3, 4),
        np.zeros(7, np.float32),
        match=r"input B shape\[0\] violates packed ABI constraint; expected: 6 \(.*\), got: 7",
    )


def test_linear_extents_are_solved():
    m = T.dynamic("m")

    @T.prim_func
    def k(A: T.Tensor((m * 2 + 1,), "int32"), B: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=32):
            B[0] = m

    kernel = tilelang.compile(k)
    b = np.zeros(1, np.int32)
    kernel(np.zeros(9, np.int32), b)
    assert b[0] == 4
    refused(kernel, np.zeros(8, np.int32), b, match=r"shape\[0\] violates packed ABI constraint")
