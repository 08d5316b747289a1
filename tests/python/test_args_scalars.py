"""Scalars passed by value: what each type takes and refuses."""

from __future__ import annotations

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


@pytest.mark.parametrize("value", [3, True, np.int64(3), np.int8(3), np.array(3), np.bool_(True)])
def test_integer_scalars(add_scalar, value):
    a = np.zeros(40, np.int32)
    add_scalar(a, value)
    assert (a == int(value)).all()


@pytest.mark.parametrize("value", [1.5, np.float32(1.5), None, "1", [1]])
def test_what_is_no_integer(add_scalar, value):
    refused(add_scalar, np.zeros(4, np.int32), value, match="kernel k scalar s expected integer")


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (np.str_("1.5"), "str_ of dtype <U3"),
        (np.array("3"), "ndarray of dtype <U1"),
        (np.complex64(1 + 2j), "complex64 of dtype complex64"),
        (np.timedelta64(5, "s"), r"timedelta64 of dtype timedelta64\[s\]"),
        (10**400, "int beyond 64 bits"),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_what_is_no_real_number(dtype, value, got):
    kernel = tilelang.compile(kernels.add_scalar(dtype))
    refused(kernel, np.zeros(4, dtype), value, match=f"kernel k scalar s expected (float|integer); got: {got}")


def test_torch_elements_without_a_real_value(add_scalar):
    torch = pytest.importorskip("torch")
    for value in (torch.tensor(1 + 2j), torch.tensor(3, device="meta")):
        refused(add_scalar, np.zeros(4, np.int32), value, match=f"expected integer; got: Tensor of dtype {value.dtype}")


@pytest.mark.parametrize("value", [10**20, -(2**63) - 1, 2**64])
def test_a_float_is_nearest_to_an_integer_of_any_size(value):
    a = np.zeros(5, "float64")
    tilelang.compile(kernels.add_scalar("float64"))(a, value)
    assert (a == float(value)).all()


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
