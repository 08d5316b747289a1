"""Every row of the argument checks: what is refused, with which class and words, and what is accepted."""

from __future__ import annotations

import ctypes

import kernels
import ml_dtypes
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


# --- scalars ---


@pytest.mark.parametrize("value", [3, True, np.int64(3), np.int8(3), np.array(3), np.bool_(True)])
def test_integer_scalars(add_scalar, value):
    a = np.zeros(40, np.int32)
    add_scalar(a, value)
    assert (a == int(value)).all()


@pytest.mark.parametrize("value", [1.5, np.float32(1.5), None, "1", [1]])
def test_what_is_no_integer(add_scalar, value):
    refused(add_scalar, np.zeros(4, np.int32), value, match="kernel k scalar s expected integer")


@pytest.mark.parametrize("value", [2**40, -(2**31) - 1, 2**63, 2**70])
def test_integers_out_of_range(add_scalar, value):
    refused(add_scalar, np.zeros(4, np.int32), value, match="kernel k scalar s expected integer")


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int8", -128), ("uint8", 255), ("int64", -(2**63)), ("uint64", 2**64 - 1), ("uint32", 2**32 - 1)],
)
def test_extreme_integers(dtype, value):
    a = np.zeros(5, dtype)
    tilelang.compile(kernels.add_scalar(dtype))(a, value)
    assert (a == np.array(value, dtype)).all()


@pytest.mark.parametrize(
    ("value", "expected"), [(2.5, 2.5), (2, 2), (True, 1), (np.float64(2.5), 2.5), (ml_dtypes.bfloat16(2.5), 2.5)]
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_float_scalars_accept_every_number(dtype, value, expected):
    a = np.zeros(5, dtype)
    tilelang.compile(kernels.add_scalar(dtype))(a, value)
    assert (a == expected).all()


def test_float_scalar_refuses_others():
    kernel = tilelang.compile(kernels.add_scalar("float32"))
    refused(kernel, np.zeros(4, np.float32), "x", match="kernel k scalar s expected float")


def test_boolean_scalars():
    @T.prim_func
    def k(A: T.Tensor((4,), "int32"), flag: T.bool):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                A[i] = T.if_then_else(flag, 5, 6)

    kernel = tilelang.compile(k)
    for value, expected in ((True, 5), (False, 6), (3, 5), (0, 6), (np.bool_(True), 5)):
        a = np.zeros(4, np.int32)
        kernel(a, value)
        assert (a == expected).all()
    refused(kernel, np.zeros(4, np.int32), 1.0, match="kernel k scalar flag expected boolean")


# --- symbols ---


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


# --- what is accepted ---


def test_overlapping_arguments(scale):
    a = array()
    expected = a * 2
    scale(a, a)
    assert np.array_equal(a, expected)


def test_read_only_inputs(scale):
    a, b = array(), array() * 0
    a.flags.writeable = False
    scale(a, b)
    assert np.array_equal(b, a * 2)


def test_views_with_compact_strides(scale):
    a, b = array(24, 16)[8:16], array() * 0
    scale(a, b)
    assert np.array_equal(b, a * 2)


class Sub(np.ndarray):
    pass


def test_subclasses_of_arrays(scale):
    a, b = array().view(Sub), array() * 0
    scale(a, b)
    assert np.array_equal(b, a * 2)


NUMPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"]
NUMPY_TYPES += ["float64", "bfloat16"]


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_types_are_passed_without_copies(dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    a = np.random.default_rng(0).integers(0, 2, 100).astype(kind)
    b = np.zeros(100, kind)
    tilelang.compile(kernels.copy_vector(dtype))(a, b)
    assert a.tobytes() == b.tobytes()


def test_families_of_types():
    """bool takes 8-bit integers; a type does not take another of the same width."""
    kernel = tilelang.compile(kernels.copy_vector("bool"))
    a, b = np.array([0, 1, 1, 0], np.uint8), np.zeros(4, np.int8)
    kernel(a, b)
    assert b.tolist() == [0, 1, 1, 0]
    refused(
        tilelang.compile(kernels.copy_vector("int8")), a, b, match="input A dtype mismatch, expected int8; got: uint8"
    )
    refused(tilelang.compile(kernels.copy_vector("float16")), a.view(ml_dtypes.float8_e4m3fn), b, match="float8_e4m3fn")


# --- PyTorch ---


def test_torch_tensors(scale):
    torch = pytest.importorskip("torch")
    a, b = torch.rand(8, 16), torch.zeros(8, 16)
    scale(a, b)
    assert torch.equal(b, a * 2)
    refused(scale, a.double(), b, match="kernel k input A dtype mismatch, expected float32; got: float64")
    refused(scale, a.T, b, match="kernel k input A shape")
    refused(scale, torch.rand(8, 32)[:, ::2], b, match="non-compact strides")
    refused(scale, a.to("meta"), b, match="kernel k input A")


def test_torch_accepted(scale):
    torch = pytest.importorskip("torch")
    b = torch.zeros(8, 16)
    a = torch.rand(8, 16, requires_grad=True)
    scale(a, b)
    assert torch.equal(b, a.detach() * 2)
    part = torch.rand(24, 16)[8:16]  # a storage offset
    scale(part, b)
    assert torch.equal(b, part * 2)
    scale(torch.nn.Parameter(part), b)
    mixed = np.zeros((8, 16), np.float32)
    scale(part, mixed)
    assert np.array_equal(mixed, (part * 2).numpy())


def test_torch_scalars(add_scalar):
    torch = pytest.importorskip("torch")
    a = torch.zeros(40, dtype=torch.int32)
    add_scalar(a, torch.tensor(3))
    assert (a == 3).all()
    refused(add_scalar, a, torch.tensor([3, 4]), match="kernel k scalar s expected integer")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "bool", "int64"])
def test_torch_types(dtype):
    torch = pytest.importorskip("torch")
    a = torch.arange(50).to(getattr(torch, dtype))
    b = torch.zeros(50, dtype=getattr(torch, dtype))
    tilelang.compile(kernels.copy_vector(dtype))(a, b)
    assert torch.equal(a, b)


def test_many_arguments():
    """More arguments than a machine word has bits."""
    count = 70
    kernel = tilelang.compile(_many_parameters())
    arrays = [np.full(1, i, np.int32) for i in range(count)]
    kernel(*arrays)
    assert arrays[0][0] == count - 1


def _many_parameters():
    @T.prim_func
    def k(
        A0: T.Tensor((1,), "int32"),
        A1: T.Tensor((1,), "int32"),
        A2: T.Tensor((1,), "int32"),
        A3: T.Tensor((1,), "int32"),
        A4: T.Tensor((1,), "int32"),
        A5: T.Tensor((1,), "int32"),
        A6: T.Tensor((1,), "int32"),
        A7: T.Tensor((1,), "int32"),
        A8: T.Tensor((1,), "int32"),
        A9: T.Tensor((1,), "int32"),
        A10: T.Tensor((1,), "int32"),
        A11: T.Tensor((1,), "int32"),
        A12: T.Tensor((1,), "int32"),
        A13: T.Tensor((1,), "int32"),
        A14: T.Tensor((1,), "int32"),
        A15: T.Tensor((1,), "int32"),
        A16: T.Tensor((1,), "int32"),
        A17: T.Tensor((1,), "int32"),
        A18: T.Tensor((1,), "int32"),
        A19: T.Tensor((1,), "int32"),
        A20: T.Tensor((1,), "int32"),
        A21: T.Tensor((1,), "int32"),
        A22: T.Tensor((1,), "int32"),
        A23: T.Tensor((1,), "int32"),
        A24: T.Tensor((1,), "int32"),
        A25: T.Tensor((1,), "int32"),
        A26: T.Tensor((1,), "int32"),
        A27: T.Tensor((1,), "int32"),
        A28: T.Tensor((1,), "int32"),
        A29: T.Tensor((1,), "int32"),
        A30: T.Tensor((1,), "int32"),
        A31: T.Tensor((1,), "int32"),
        A32: T.Tensor((1,), "int32"),
        A33: T.Tensor((1,), "int32"),
        A34: T.Tensor((1,), "int32"),
        A35: T.Tensor((1,), "int32"),
        A36: T.Tensor((1,), "int32"),
        A37: T.Tensor((1,), "int32"),
        A38: T.Tensor((1,), "int32"),
        A39: T.Tensor((1,), "int32"),
        A40: T.Tensor((1,), "int32"),
        A41: T.Tensor((1,), "int32"),
        A42: T.Tensor((1,), "int32"),
        A43: T.Tensor((1,), "int32"),
        A44: T.Tensor((1,), "int32"),
        A45: T.Tensor((1,), "int32"),
        A46: T.Tensor((1,), "int32"),
        A47: T.Tensor((1,), "int32"),
        A48: T.Tensor((1,), "int32"),
        A49: T.Tensor((1,), "int32"),
        A50: T.Tensor((1,), "int32"),
        A51: T.Tensor((1,), "int32"),
        A52: T.Tensor((1,), "int32"),
        A53: T.Tensor((1,), "int32"),
        A54: T.Tensor((1,), "int32"),
        A55: T.Tensor((1,), "int32"),
        A56: T.Tensor((1,), "int32"),
        A57: T.Tensor((1,), "int32"),
        A58: T.Tensor((1,), "int32"),
        A59: T.Tensor((1,), "int32"),
        A60: T.Tensor((1,), "int32"),
        A61: T.Tensor((1,), "int32"),
        A62: T.Tensor((1,), "int32"),
        A63: T.Tensor((1,), "int32"),
        A64: T.Tensor((1,), "int32"),
        A65: T.Tensor((1,), "int32"),
        A66: T.Tensor((1,), "int32"),
        A67: T.Tensor((1,), "int32"),
        A68: T.Tensor((1,), "int32"),
        A69: T.Tensor((1,), "int32"),
    ):
        with T.Kernel(1, threads=1):
            A0[0] = A69[0]

    return k


def test_pointers_as_numbers_are_no_tensors(scale):
    refused(scale, ctypes.c_void_p(0), array(), match="kernel k input A expected pointer or tensor handle")
