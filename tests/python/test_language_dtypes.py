"""Element types as values of the language."""

from __future__ import annotations

import pickle

import numpy
import pytest
import tilelang.language as T
from tilelang import dtypes
from tilelang.errors import TileLangError
from tracing import refused, text


def test_a_dtype_is_its_string() -> None:
    assert T.float16 == "float16" and "float16" == T.float16
    assert {T.float16: 1}["float16"] == 1
    assert T.float16 is T.dtype("float16")
    assert repr(T.float32x4) == "dtype('float32x4')"
    assert pickle.loads(pickle.dumps(T.int8x4)) is T.int8x4


@pytest.mark.parametrize(
    "alias, name",
    [
        ("short", "int16"),
        ("int", "int32"),
        ("uint", "uint32"),
        ("long", "int64"),
        ("half", "float16"),
        ("float", "float32"),
        ("double", "float64"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    assert getattr(T, alias) is T.dtype(name)


@pytest.mark.parametrize(
    "given, name",
    [
        (bool, "bool"),
        (int, "int32"),
        (float, "float32"),
        (numpy.float32, "float32"),
        (numpy.dtype("int8"), "int8"),
        (numpy.bool_, "bool"),
        ("float8_e4m3fn", "float8_e4m3fn"),
        ("tfloat32", "tfloat32"),
    ],
)
def test_what_names_a_dtype(given, name: str) -> None:
    assert T.dtype(given) == name


def test_torch_dtypes() -> None:
    torch = pytest.importorskip("torch")
    assert T.dtype(torch.bfloat16) == "bfloat16"
    assert T.float16 != torch.float16
    assert T.float16.as_torch() is torch.float16
    assert T.float8_e4m3.as_torch() is torch.float8_e4m3fn
    assert T.int4.as_torch() is torch.int8
    assert T.tfloat32.as_torch() is torch.float32
    with pytest.raises(ValueError, match="Cannot convert dtype"):
        T.float6_e2m3fn.as_torch()


@pytest.mark.parametrize("name", ["half", "fp16", "float17", "int7", "float32x", "voidx2"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown dtype `{name}`") as caught:
        T.dtype(name)
    assert isinstance(caught.value, TileLangError)


@pytest.mark.parametrize("value", [None, 3, []])
def test_other_values(value) -> None:
    with pytest.raises(TypeError, match="Invalid DataType"):
        T.dtype(value)


def test_widths() -> None:
    facts = {d: (d.bits, d.bytes, d.lanes) for d in (T.bool, T.int4, T.float16x8, T.float6_e2m3fn, T.float4_e2m1fnx2)}
    assert list(facts.values()) == [(8, 1, 1), (4, 1, 1), (16, 16, 8), (6, 1, 1), (4, 1, 2)]
    assert T.float16.with_lanes(4) == "float16x4"
    assert T.float4_e2m1fn.is_float4() and T.float4_e2m1_unpacked.is_float4_e2m1_unpacked()


def test_the_compiler_knows_every_name() -> None:
    for dtype in set(dtypes.named_dtypes().values()):
        assert T.Var("x", dtype)._h is not None
        assert T.Tensor((4,), dtype)._h is not None


def test_tensor_arguments_refuse_python_types() -> None:
    with pytest.raises(TypeError, match="Python type `float` is not a dtype"):
        T.Tensor((4,), float)
    with pytest.raises(ValueError, match="unknown dtype `float17`"):
        T.Tensor((4,), "float17")


def test_allocations_refuse_unknown_names_with_their_place() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((4,), "fp16")  # refused
            T.clear(tile)

    refused(kernel, ValueError, "unknown dtype `fp16`")


def test_conversion() -> None:
    def kernel(A: T.Tensor((4,), "float16"), n: T.int32):
        with T.Kernel(1):
            A[0] = T.float32(n) * T.float16(1.5)
            A[1] = T.cast(n, "int8") + T.int8(1)
            A[2] = T.float32("-inf")
            A[3] = T.reinterpret(n, T.float32)

    lines = text(kernel).splitlines()
    assert "cast(float32, %n)" in lines[0]
    assert "cast(int8, %n) + 1:int8" in lines[1]
    assert lines[2] == "store %A, [2], -inf:float16"
    assert "bitcast(float32, %n)" in lines[3]
    assert isinstance(T.float32(), T.Var)


def test_limits() -> None:
    assert T.max_value("int8").value == 127 and T.min_value("int8").value == -128
    assert T.max_value("float16").value == 65504 and T.min_value(T.float8_e4m3fn).value == -448
    assert T.infinity("float16").value == float("inf")
    with pytest.raises(ValueError, match="has no infinity"):
        T.infinity("int32")


def test_numpy_limits_agree() -> None:
    for name in ("float16", "float32", "float64"):
        assert T.max_value(name).value == float(numpy.finfo(name).max)
    for name in ("uint8", "int16", "uint32", "int64"):
        assert T.max_value(name).value == numpy.iinfo(name).max
    ml_dtypes = pytest.importorskip("ml_dtypes")
    eight = ("e3m4", "e4m3", "e4m3fn", "e5m2", "e5m2fnuz", "e4m3fnuz", "e4m3b11fnuz")
    names = [f"float8_{form}" for form in eight] + ["bfloat16", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"]
    for name in names:
        assert T.max_value(name).value == float(ml_dtypes.finfo(getattr(ml_dtypes, name)).max), name
