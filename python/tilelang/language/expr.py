"""Scalar expressions: values that the kernel computes.

An expression wraps a C++ expression `_h`; promotion, folding and checks happen there. Python operators build
expressions, so `i * 4 + 1 < n` is one. Truth is not known while a kernel is traced: `bool(expr)` raises unless the
value is a constant. Expressions are usable as dictionary keys: the hash is that of the structure, and equal
structure is `True`.
"""

from __future__ import annotations

import threading

from tilelang._ffi import fn
from tilelang.dtypes import as_dtype, dtype
from tilelang.frontend.state import fail

_NUMBERS = (int, float, bool)
_making = threading.Lock()


def operand(value):
    """What crosses to C++ for `value`: the handle of an expression, or a Python number. None where it is neither."""
    if isinstance(value, PrimExpr):
        return value._h
    if isinstance(value, _NUMBERS):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    return None


def need_operand(value, what: str):
    """`operand(value)`; raises `TypeError` naming `what` where it is no scalar."""
    h = operand(value)
    if h is None:
        kind = type(value).__name__
        extra = "index it to read one element" if kind == "Buffer" else "numbers and scalar expressions are accepted"
        fail(TypeError, 80, f"{what}: a {kind} is not a scalar value", help=extra)
    return h


def wrap(h):
    """The Python object of a C++ expression: `IntImm`, `FloatImm`, `StringImm`, `Var`, or a plain `PrimExpr`."""
    kind = fn.expr_kind(h)
    if kind == "var":
        return Var._of(h)
    if kind == "const":
        value = fn.expr_const(h)
        return FloatImm._of(h) if isinstance(value, float) else IntImm._of(h)
    return PrimExpr(h)


def _binary(op: str, a, b):
    x, y = operand(a), operand(b)
    if x is None or y is None:
        return NotImplemented
    h = fn.expr_binary(op, x, y)
    # Only constants fold to a constant; asking the kind of every result would double the cost of tracing.
    return wrap(h) if isinstance(a, _CONSTANT) and isinstance(b, _CONSTANT) else PrimExpr(h)


def _operator(op: str, reflected: bool = False):
    if reflected:
        return lambda self, other: _binary(op, other, self)
    return lambda self, other: _binary(op, self, other)


class PrimExpr:
    """A scalar expression. `dtype` is its element type."""

    __slots__ = ("__weakref__", "_h")

    def __init__(self, h):
        self._h = h

    @property
    def dtype(self) -> dtype:
        return dtype(str(fn.expr_dtype(self._h)))

    @property
    def value(self):
        """The number, for a constant; else raises `AttributeError`."""
        found = fn.expr_const(self._h)
        if found is None:
            raise AttributeError(f"`{self}` is not a constant")
        return found

    def astype(self, to) -> PrimExpr:
        return cast_to(to, self)

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", True)
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", True)
    __floordiv__, __rfloordiv__ = _operator("floordiv"), _operator("floordiv", True)
    __mod__, __rmod__ = _operator("floormod"), _operator("floormod", True)
    __and__, __rand__ = _operator("bitand"), _operator("bitand", True)
    __or__, __ror__ = _operator("bitor"), _operator("bitor", True)
    __xor__, __rxor__ = _operator("bitxor"), _operator("bitxor", True)
    __lshift__, __rlshift__ = _operator("shl"), _operator("shl", True)
    __rshift__, __rrshift__ = _operator("shr"), _operator("shr", True)
    __lt__, __le__ = _operator("lt"), _operator("le")
    __gt__, __ge__ = _operator("gt"), _operator("ge")

    def __eq__(self, other):
        return Equality("eq", self, other) if operand(other) is not None else NotImplemented

    def __ne__(self, other):
        return Equality("ne", self, other) if operand(other) is not None else NotImplemented

    def __hash__(self) -> int:
        return fn.expr_hash(self._h)

    def __neg__(self):
        return PrimExpr(fn.expr_unary("neg", self._h))

    def __pos__(self):
        return self

    def __invert__(self):
        return PrimExpr(fn.expr_unary("not" if self.dtype == "bool" else "bitnot", self._h))

    def __bool__(self) -> bool:
        known = fn.expr_const(self._h)
        if known is None:
            fail(
                ValueError,
                85,
                f"Cannot use and / or / not operator to Expr: the value of `{self}` is not known while "
                "the kernel is traced",
                help="in a kernel `if`, `and`, `or`, `not` and `x if c else y` work on it; in plain Python functions "
                "use T.if_then_else, T.min, T.max, `&`, `|`, or make the function a T.macro",
            )
        return bool(known)

    def _number(self, asked: str):
        known = fn.expr_const(self._h)
        if known is None:
            fail(
                TypeError,
                9,
                f"{asked} of `{self}`: its value is not known while the kernel is traced",
                help="use T.cast to convert it in the kernel",
            )
        return known

    def __int__(self) -> int:
        return int(self._number("int()"))

    def __float__(self) -> float:
        return float(self._number("float()"))

    def __index__(self) -> int:
        return int(self._number("a Python index"))

    def _no_power(self, _other):
        fail(TypeError, 80, "`**` is not an operator of the kernel language", help="use T.pow(x, y), or multiply")

    __pow__ = __rpow__ = _no_power

    def __abs__(self):
        fail(TypeError, 80, "abs() is not an operator of the kernel language", help="use T.abs(x)")

    def __repr__(self) -> str:
        return str(fn.expr_text(self._h))


class _Constant(PrimExpr):
    __slots__ = ()

    @classmethod
    def _of(cls, h):
        self = cls.__new__(cls)
        self._h = h
        return self


class IntImm(_Constant):
    """An integer or bool constant of a stated dtype."""

    __slots__ = ()

    def __init__(self, dtype: str, value: int, span=None):
        self._h = fn.expr_int(str(as_dtype(dtype)), int(value))


class FloatImm(_Constant):
    """A float constant of a stated dtype."""

    __slots__ = ()

    def __init__(self, dtype: str, value: float, span=None):
        self._h = fn.expr_float(str(as_dtype(dtype)), float(value))


class StringImm(_Constant):
    """Text, as an argument of prints and extern calls."""

    __slots__ = ()

    def __init__(self, value: str, span=None):
        self._h = fn.expr_str(value)


class Var(PrimExpr):
    """A named value: a loop index, a run-time dimension, a bound expression.

    Its C++ variable is made at the first use, so that `T.dynamic` at module level does not load the library.
    """

    __slots__ = ("_dtype", "_name", "bound_value")

    def __init__(self, name: str, dtype, span=None):
        self._name = name
        self._dtype = as_dtype(dtype)
        self.bound_value = None

    @classmethod
    def _of(cls, h, name: str | None = None, dtype_name: str | None = None):
        self = cls.__new__(cls)
        self._h = h
        self._name = name if name is not None else str(fn.expr_var_name(h))
        self._dtype = dtype(dtype_name or str(fn.expr_dtype(h)))
        self.bound_value = None
        return self

    def __getattr__(self, attribute: str):
        # Reached only while the slot is empty.
        if attribute == "_h":
            return self._make()
        raise AttributeError(f"{type(self).__name__} has no attribute `{attribute}`")

    def _make(self):
        """The C++ variable; two threads that use it first at the same time get the same one."""
        with _making:
            try:
                return object.__getattribute__(self, "_h")
            except AttributeError:
                self._h = fn.expr_var(self._name, str(self._dtype))
                return self._h

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> dtype:
        return self._dtype

    def __iter__(self):
        # `with T.Kernel(n) as (bx,)` and `*index` take a single coordinate as a sequence of one.
        return iter((self,))

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return self._name


class Equality(PrimExpr):
    """`a == b` or `a != b`. Its truth is known where the two are the same expression or both constants."""

    __slots__ = ("_a", "_b", "_op")

    def __init__(self, op: str, a, b):
        self._op, self._a, self._b = op, a, b

    def __getattr__(self, attribute: str):
        if attribute == "_h":
            self._h = fn.expr_binary(self._op, operand(self._a), operand(self._b))
            return self._h
        raise AttributeError(f"PrimExpr has no attribute `{attribute}`")

    def __bool__(self) -> bool:
        if isinstance(self._a, PrimExpr) and isinstance(self._b, PrimExpr) and fn.expr_same(self._a._h, self._b._h):
            return self._op == "eq"
        return super().__bool__()


_CONSTANT = (_Constant, *_NUMBERS)


def is_symbolic(value) -> bool:
    """Whether `value` is an expression whose value is not known while tracing."""
    return isinstance(value, PrimExpr) and not isinstance(value, _Constant) and fn.expr_const(value._h) is None


def cast_to(to, value):
    """Converts a number or expression to dtype `to`, by the conversion rules of the language."""
    to = as_dtype(to)
    h = value if isinstance(value, str) else need_operand(value, f"T.{to}")
    if isinstance(h, str):
        h = float(h)  # T.float32("inf"), "-inf", "nan"
    if isinstance(h, _NUMBERS):
        h = fn.expr_float(str(to), h) if isinstance(h, float) and to.is_floating() else fn.expr_cast(str(to), h)
        return wrap(h)
    return wrap(fn.expr_cast(str(to), h)) if isinstance(value, _Constant) else PrimExpr(fn.expr_cast(str(to), h))


def pack(to, values):
    """A vector value from its lanes."""
    fail(
        RuntimeError,
        90,
        f"T.{to}(...) of {len(values)} values: values with several lanes are not available in this version",
        help="compute on scalars; loads and stores are vectorised by the compiler",
    )
