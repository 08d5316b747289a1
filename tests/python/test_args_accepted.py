"""Arrays that are accepted without copies: views, read-only ones, every type, those of PyTorch."""

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


def test_read_only_outputs_are_refused(scale):
    b = array() * 0
    b.flags.writeable = False
    with pytest.raises(RuntimeError, match="kernel k input B is read-only, but the kernel writes to it"):
        scale(array(), b)
    assert not b.any()


@pytest.mark.parametrize("target", ["c", "interpret"])
def test_unused_tensors_may_be_none(target):
    @T.prim_func
    def k(A: T.Tensor((4,), "int32"), unused: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                A[i] = 3

    a = np.zeros(4, np.int32)
    tilelang.compile(k, target=target)(a, None)
    assert (a == 3).all()


def test_0_dimensional_arrays(scale):
    @T.prim_func
    def k(A: T.Tensor((), "int32"), B: T.Tensor((), "int32")):
        with T.Kernel(1, threads=1):
            B[()] = A[()] + 1

    b = np.zeros((), np.int32)
    tilelang.compile(k)(np.array(4, np.int32), b)
    assert b == 5


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


def test_other_arrays_behind_a_tensor(scale):
    """The short way of calls with PyTorch's tensors takes what the long way takes."""
    torch = pytest.importorskip("torch")
    read_only = np.full((8, 16), 3, np.float32)
    read_only.flags.writeable = False
    out = torch.zeros(8, 16)
    scale(read_only, out)
    a = torch.full((8, 16), 5.0)
    for _ in range(2):
        b = np.zeros((8, 16), np.float32)
        scale(a, b)
        assert (b == 10).all() and bool((out == 6).all())


def test_a_failing_kernel_runs_once(capsys):
    """Errors of a run are not taken for errors of the arguments."""
    torch = pytest.importorskip("torch")

    @T.prim_func
    def says(A: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=1):
            T.print(A[0], msg="ran")
            T.device_assert(A[0] > 0, "is positive")

    kernel = tilelang.compile(says, target="c")
    kernel(torch.ones(4))
    capsys.readouterr()
    with pytest.raises(tilelang.TileLangError, match="is positive"):
        kernel(torch.zeros(4))
    assert capsys.readouterr().out.count("ran") == 1
