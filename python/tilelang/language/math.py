"""Arithmetic and elementary functions on scalar expressions, made from one table."""

from __future__ import annotations

import math as _host
from collections.abc import Callable

from tilelang._ffi import fn
from tilelang.dtypes import as_dtype, dtype
from tilelang.frontend.state import fail

from .expr import FloatImm, IntImm, PrimExpr, cast_to, need_operand, operand, wrap

# Functions of the intrinsics table: name -> parameter names. `span` is a keyword of some of them, without effect.
_INTRINSICS = {
    **dict.fromkeys(
        (
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "cos",
            "cosh",
            "erf",
            "exp",
            "exp10",
            "exp2",
            "log",
            "log10",
            "log1p",
            "log2",
            "rsqrt",
            "sigmoid",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
            "popcount",
            "clz",
        ),
        "x",
    ),
    **dict.fromkeys(("atan2", "copysign", "hypot", "ldexp", "nextafter"), "x1 x2"),
    "fmod": "x y",
    "pow": "x y span",
    **dict.fromkeys(("ceil", "floor", "trunc", "nearbyint", "isfinite", "isinf", "isnan"), "x span"),
}

# Binary operators that have a function form: name -> (operator, parameter names).
_OPERATORS = {
    "truncdiv": ("truncdiv", "a b span"),
    "truncmod": ("truncmod", "a b span"),
    "floordiv": ("floordiv", "a b span"),
    "floormod": ("floormod", "a b span"),
    "shift_left": ("shl", "x y span"),
    "shift_right": ("shr", "x y span"),
    "bitwise_and": ("bitand", "x y span"),
    "bitwise_or": ("bitor", "x y span"),
    "bitwise_xor": ("bitxor", "x y span"),
    "min": ("min", "a b"),
    "max": ("max", "a b"),
}

# What the operators are on Python numbers: shape arithmetic stays Python.
_ON_INTS: dict[str, Callable] = {
    "truncdiv": lambda a, b: abs_(a) // abs_(b) * (1 if (a < 0) == (b < 0) else -1),
    "truncmod": lambda a, b: a - b * (abs_(a) // abs_(b) * (1 if (a < 0) == (b < 0) else -1)),
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "min": lambda a, b: a if a <= b else b,
    "max": lambda a, b: a if a >= b else b,
}


def abs_(value: int) -> int:
    return -value if value < 0 else value


def call(name: str, *args) -> PrimExpr:
    """A call of the function `name` of the intrinsics table; constants fold."""
    return PrimExpr(fn.expr_call(name, [need_operand(a, f"T.{name}") for a in args]))


def binary(op: str, a, b):
    """`a op b` with promotion; two Python ints give a Python int, except where the operation has no result."""
    if isinstance(a, int) and isinstance(b, int):
        if b == 0 and op in ("truncdiv", "truncmod", "floordiv", "floormod"):
            fail(ValueError, 81, f"T.{op}({a}, 0): division by zero")
        return _ON_INTS[op](a, b)
    h = fn.expr_binary(op, need_operand(a, f"T.{op}"), need_operand(b, f"T.{op}"))
    return wrap(h) if fn.expr_const(h) is not None else PrimExpr(h)


def _define(name: str, parameters: str, body: str, doc: str):
    """A function with real parameter names, so that its signature and keyword calls are the language's."""
    names = parameters.split()
    head = ", ".join(n if n != "span" else "span=None" for n in names)
    args = ", ".join(n for n in names if n != "span")
    scope: dict = {"call": call, "binary": binary, "__name__": __name__}
    exec(f"def {name}({head}):\n    return {body.format(args=args)}", scope)
    function = scope[name]
    function.__doc__ = doc
    function.__module__ = __name__
    return function


_made = {
    n: _define(n, p, f"call('{n}', {{args}})", "The elementary function of that name.") for n, p in _INTRINSICS.items()
}
_made.update(
    {
        n: _define(n, p, f"binary('{op}', {{args}})", f"`{op}` of the two values, promoted to one type.")
        for n, (op, p) in _OPERATORS.items()
    }
)
globals().update(_made)


def bitwise_not(x, span=None):
    """All bits of an integer inverted."""
    return ~x


def round(x, rounding_mode="ties-to-even", span=None):
    """The nearest integer as a float; ties go to the even one. Raises `ValueError` for another mode."""
    if rounding_mode != "ties-to-even":
        fail(ValueError, 19, f"T.round: rounding mode `{rounding_mode}` is not known", help="ties-to-even")
    return call("round", x)


def abs(x, span=None):
    """The magnitude; of the smallest signed integer itself."""
    return PrimExpr(fn.expr_unary("abs", need_operand(x, "T.abs")))


def fabs(x, span=None):
    """`T.abs` of a float."""
    return abs(x)


def __ffs(value: int | PrimExpr) -> PrimExpr:
    """One plus the position of the lowest set bit; 0 for 0."""
    return call("ffs", value)


def fma(x: PrimExpr, y: PrimExpr, z: PrimExpr) -> PrimExpr:
    """x * y + z, rounded once."""
    return call("fma", x, y, z)


def ceildiv(lhs, rhs, span=None):
    """`lhs / rhs` rounded up. Python ints give a Python int."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        if rhs == 0:
            fail(ValueError, 81, f"T.ceildiv({lhs}, 0): division by zero")
        return -(-lhs // rhs)
    # -(-a // b) has no sum that could leave the range of the type.
    return _negated(floordiv(_negated(lhs), rhs))  # noqa: F821


def _negated(value):
    return -value


cdiv = ceildiv


def align_up(x, y):
    """The smallest multiple of `y` that is not less than `x`."""
    return ceildiv(x, y) * y


def clamp(dst: PrimExpr, min_val: PrimExpr, max_val: PrimExpr) -> PrimExpr:
    """`dst` kept between `min_val` and `max_val`: first the maximum with the one, then the minimum with the other."""
    return binary("min", binary("max", dst, min_val), max_val)


def if_then_else(cond, t, f, span=None):
    """`t` where `cond` holds, else `f`; only the chosen side is evaluated, so a condition guards the loads of its
    side."""
    return _select(cond, t, f, "T.if_then_else")


def Select(
    condition: PrimExpr | bool,
    true_value: PrimExpr | int | float | bool,
    false_value: PrimExpr | int | float | bool,
    span=None,
) -> PrimExpr:
    """`T.if_then_else`."""
    return _select(condition, true_value, false_value, "T.Select")


def _select(cond, t, f, what: str):
    c = need_operand(cond, f"{what}: the condition")
    if isinstance(c, (bool, int, float)):
        return t if c else f
    return PrimExpr(fn.expr_select(c, need_operand(t, what), need_operand(f, what)))


def cast(value, dtype, round: str = "", sat: bool = True, rbits=None, span=None):
    """`value` converted to `dtype`: floats to integers truncate, floats round to the nearest even."""
    if round not in ("", "rn") or rbits is not None:
        fail(
            RuntimeError,
            90,
            f"T.cast: rounding `{round}` is not available in this version",
            help="leave it out, or 'rn'",
        )
    return cast_to(dtype, value)


def Cast(dtype, value, annotations=None, span=None):
    """`T.cast` with its arguments in the other order."""
    return cast_to(dtype, value)


def reinterpret(value, dtype, span=None):
    """The bits of `value` read as another type of the same size."""
    return PrimExpr(fn.expr_bitcast(str(as_dtype(dtype)), need_operand(value, "T.reinterpret")))


# (largest, smallest normal exponent aside) of the float types: the largest finite value.
_LARGEST = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep127"),
    "float32": float.fromhex("0x1.fffffep127"),
    "tfloat32": float.fromhex("0x1.ffcp127"),
    "float64": float.fromhex("0x1.fffffffffffffp1023"),
    "float8_e3m4": 15.5,
    "float8_e4m3": 240.0,
    "float8_e4m3fn": 448.0,
    "float8_e4m3fnuz": 240.0,
    "float8_e4m3b11fnuz": 30.0,
    "float8_e5m2": 57344.0,
    "float8_e5m2fnuz": 57344.0,
    "float6_e2m3fn": 7.5,
    "float6_e3m2fn": 28.0,
    "float4_e2m1fn": 6.0,
    "float4_e2m1_unpacked": 6.0,
}


def max_value(dtype: str, span=None):
    """The largest finite value of a type, as a constant of it."""
    kind = as_dtype(dtype)
    if kind == "bool" or kind.is_integer():
        bits = 1 if kind == "bool" else kind.bits - kind.startswith("int")
        return IntImm(kind, (1 << bits) - 1)
    if kind not in _LARGEST:
        fail(ValueError, 83, f"T.max_value({kind}): the type has no largest value")
    return FloatImm(kind, _LARGEST[kind])


def min_value(dtype, span=None):
    """The smallest finite value of a type, as a constant of it."""
    kind = as_dtype(dtype)
    if kind == "bool" or kind.is_integer():
        return IntImm(kind, -(1 << (kind.bits - 1)) if kind.startswith("int") else 0)
    if kind not in _LARGEST:
        fail(ValueError, 83, f"T.min_value({kind}): the type has no smallest value")
    return FloatImm(kind, -_LARGEST[kind])


def infinity(dtype: str, span=None):
    """Positive infinity of a float type."""
    kind = as_dtype(dtype)
    if not kind.is_floating():
        fail(ValueError, 83, f"T.infinity({kind}): the type has no infinity", help="use T.max_value")
    return FloatImm(kind, _host.inf)


NAMES = [
    *_made,
    "bitwise_not",
    "round",
    "abs",
    "fabs",
    "__ffs",
    "fma",
    "ceildiv",
    "cdiv",
    "align_up",
    "clamp",
    "if_then_else",
    "Select",
    "cast",
    "Cast",
    "reinterpret",
    "max_value",
    "min_value",
    "infinity",
]
__all__ = NAMES
_ = (dtype, operand)
