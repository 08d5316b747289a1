"""Element types as the language spells them: `float16`, `int8`, `float8_e4m3fn`, `float32x4`, ...

A dtype *is* its name: it equals its string and hashes like it, so `buffer.dtype == "float16"` and dictionaries keyed by
either work. Calling a dtype converts a value (`T.float16(x)`); without arguments it makes a variable.
"""

from __future__ import annotations

import re

# Bits of one element.
_BITS = {
    "bool": 8,
    "int4": 4,
    "uint4": 4,
    **{f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": bits for bits in (16, 32, 64)},
    "bfloat16": 16,
    "tfloat32": 32,
    **{
        f"float8_{form}": 8
        for form in ("e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")
    },
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
    "float4_e2m1fn": 4,
    "float4_e2m1_unpacked": 8,
    "handle": 64,
    "void": 0,
}

_LANES = (2, 4, 8, 16, 32, 64)
_NO_VECTOR = ("bool", "int4", "uint4", "float4_e2m1_unpacked", "handle", "void")
_ALIASES = {
    "short": "int16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
}
_PYTHON_TYPES = {bool: "bool", int: "int32", float: "float32"}
# Types that PyTorch stores under another name; all others have the same name there.
_TORCH_NAMES = {
    "float8_e4m3": "float8_e4m3fn",
    "float4_e2m1fn": "float4_e2m1fn_x2",
    "float4_e2m1fnx2": "float4_e2m1fn_x2",
    "float4_e2m1_unpacked": "int8",
    "int4": "int8",
    "tfloat32": "float32",
}
_VECTOR = re.compile(r"^(.+?)x([1-9][0-9]*)$")


def _split(name: str) -> tuple[str, int] | None:
    """Element name and number of lanes, or None where the language has no such type."""
    if name in _BITS:
        return name, 1
    match = _VECTOR.match(name)
    if match and match[1] in _BITS and match[1] != "void" and 2 <= int(match[2]) <= 65535:
        return match[1], int(match[2])
    return None


def _name_of(value) -> str | None:
    """The spelling of a str, a Python type, or a NumPy or PyTorch dtype; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, type) and value in _PYTHON_TYPES:
        return _PYTHON_TYPES[value]
    module = type(value).__module__.partition(".")[0]
    if module == "torch" and type(value).__name__ == "dtype":
        return str(value).removeprefix("torch.").replace("fn_x2", "fnx2")
    if module in ("numpy", "ml_dtypes") or getattr(value, "__module__", None) in ("numpy", "ml_dtypes"):
        name = getattr(value, "name", None)
        if name is None:
            import numpy

            name = numpy.dtype(value).name
        return name
    return None


class dtype(str):
    """An element type: `dtype("float16")`, `dtype(torch.float16)`, `dtype(numpy.int8)`, `dtype(float)`.

    Raises `TypeError` (`Invalid DataType`) for a value of another kind, `ValueError` (``unknown dtype `x` ``) for a
    string that names no type. `"half"` and the like are not names: they are the objects `T.half`, ...
    """

    __slots__ = ("bits", "element", "lanes")
    _known: dict[str, dtype] = {}

    def __new__(cls, value):
        if type(value) is cls:
            return value
        name = _name_of(value)
        if name is None:
            _refuse(TypeError, 86, f"Invalid DataType {value!r} ({type(value).__name__})")
        known = cls._known.get(name)
        if known is not None:
            return known
        parts = _split(name)
        if parts is None:
            _refuse(ValueError, 83, f"unknown dtype `{name}`", name)
        self = super().__new__(cls, name)
        self.element, self.lanes = parts
        self.bits = _BITS[self.element]
        cls._known[name] = self
        return self

    def __repr__(self) -> str:
        return f"dtype({str(self)!r})"

    def __reduce__(self):
        return dtype, (str(self),)

    def __call__(self, *values, is_size_var: bool = False):
        """Converts a value to this type; no value makes a variable named `v`; several values pack a vector."""
        from .language.expr import Var, cast_to, pack

        if not values:
            return Var("v", self)
        return cast_to(self, values[0]) if len(values) == 1 else pack(self, values)

    @property
    def bytes(self) -> int:
        """Bytes of one value with all its lanes, rounded up."""
        return (self.bits * self.lanes + 7) // 8

    itemsize = bytes

    def with_lanes(self, lanes: int) -> dtype:
        return dtype(self.element if lanes == 1 else f"{self.element}x{lanes}")

    def is_integer(self) -> bool:
        """Signed or unsigned; bool is not one."""
        return self.element.startswith(("int", "uint"))

    def is_floating(self) -> bool:
        return "float" in self.element

    def is_float4(self) -> bool:
        return self.element.startswith("float4")

    def is_float4_e2m1fn(self) -> bool:
        return self.element == "float4_e2m1fn"

    def is_float4_e2m1_unpacked(self) -> bool:
        return self.element == "float4_e2m1_unpacked"

    def as_torch(self):
        """The PyTorch dtype that holds it. Raises `ValueError` (`Cannot convert dtype`) where there is none."""
        import torch

        found = getattr(torch, _TORCH_NAMES.get(str(self), str(self)), None)
        if found is None and self.is_float4():
            found = torch.int8
        if not isinstance(found, torch.dtype):
            _refuse(ValueError, 83, f"Cannot convert dtype {self} to a PyTorch dtype")
        return found


def _refuse(kind: type, code: int, message: str, name: str = ""):
    import difflib

    from .frontend.state import fail

    close = difflib.get_close_matches(name, _BITS, 1)
    meant = f"did you mean `{close[0]}`? " if close else ""
    fail(kind, code, message, help=f"{meant}types are T.float16, 'float16', torch.float16, numpy.float16, ...")


def as_dtype(value) -> dtype:
    """`dtype(value)` for arguments named dtype of tensors and allocations, where Python's `int` and `float` are
    refused."""
    if type(value) is dtype:
        return value
    if isinstance(value, type) and value in _PYTHON_TYPES:
        _refuse(TypeError, 86, f"Python type `{value.__name__}` is not a dtype: its width is not stated")
    return dtype(value)


def named_dtypes() -> dict[str, dtype]:
    """Every name under which `tilelang.language` offers a dtype, with the dtype."""
    names = {name: dtype(name) for name in _BITS if name not in ("handle", "void")}
    vectors = [n for n in names if n not in _NO_VECTOR]
    names.update({f"{name}x{lanes}": dtype(f"{name}x{lanes}") for name in vectors for lanes in _LANES})
    names.update({alias: dtype(name) for alias, name in _ALIASES.items()})
    return names


def get_tvm_dtype(value) -> dtype:
    """The dtype object of `value`; the name is kept for programs written for TVM-based versions."""
    return dtype(value)


def is_float4(value) -> bool:
    return dtype(value).is_float4()


def is_float4_e2m1fn(value) -> bool:
    return dtype(value).is_float4_e2m1fn()


def is_float4_e2m1_unpacked(value) -> bool:
    return dtype(value).is_float4_e2m1_unpacked()


def is_f8f6f4_family(value) -> bool:
    """Whether tensor cores may mix the type with other types of 8, 6 or 4 bits in one product."""
    return dtype(value).element.startswith(("float8_e4m3", "float8_e5m2", "float6_", "float4_"))
