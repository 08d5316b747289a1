"""Truth while tracing: known for Python values, an expression of the kernel otherwise."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.language.buffer import Buffer, BufferRegion
from tilelang.language.expr import PrimExpr, operand

from .state import current, fail, warn

_PYTHON = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "is": lambda a, b: a is b,
    "is_not": lambda a, b: a is not b,
    "in": lambda a, b: contains(b, a, False),
    "not_in": lambda a, b: contains(b, a, True),
}


def condition(value):
    """True or False where it is known now, else the boolean expression. Integers and elements mean `!= 0`.

    Raises `TypeError` (`cannot be used as condition directly`) for a buffer.
    """
    if value is True or value is False:
        return value
    if isinstance(value, PrimExpr):
        known = fn.expr_const(value._h)
        if known is not None:
            return bool(known)
        builder = current()
        if builder is not None and builder.eager is not None:
            builder.eager.check_decidable(value)
        if value.dtype == "bool":
            return value
        return PrimExpr(fn.expr_binary("ne", value._h, 0))
    if isinstance(value, (Buffer, BufferRegion)):
        fail(
            TypeError,
            3,
            f"`{value}` is a buffer and cannot be used as condition directly",
            help="compare an element of it, or test `is None`",
        )
    if value is not None and not isinstance(value, (int, float, str, tuple, list, dict, set)):
        warn(3, f"a {type(value).__name__} is used as a condition; it is decided while the kernel is traced")
    return bool(value)


def static_condition(value) -> bool:
    """The truth of a value that has to be known now."""
    known = condition(value)
    if not isinstance(known, bool):
        fail(
            ValueError,
            85,
            f"`{value}` decides here what is traced, but is not known while the kernel is traced",
            help="conditions of comprehensions, guards and the like are Python values",
        )
    return known


def logical_operand(value, operator: str):
    """The handle of an operand of `and`, `or`, `not`. Raises `TypeError` for a symbolic value that is not boolean."""
    if isinstance(value, PrimExpr):
        if value.dtype != "bool":
            fail(
                TypeError,
                3,
                f"`{operator}` of `{value}`, which is {value.dtype} and not boolean",
                help=f"write `{value} != 0`",
            )
        return value._h
    return bool(value)


def _is_open(value) -> bool:
    return isinstance(value, PrimExpr) and fn.expr_const(value._h) is None


def _joined(operator: str, a, b):
    """`a and b` or `a or b` where `a` is an expression; a Python value decides, or adds nothing."""
    x, y = logical_operand(a, operator), logical_operand(b, operator)
    if isinstance(y, bool):
        return a if y == (operator == "and") else y
    return PrimExpr(fn.expr_binary(operator, x, y))


def _later(evaluate):
    """Evaluates an expression that may be skipped at run time: nothing may be emitted by it."""
    builder = current()
    if builder is None:
        return evaluate()
    builder.guarded += 1
    try:
        return evaluate()
    finally:
        builder.guarded -= 1


def logical(operator: str, a, evaluate):
    """`a and b` or `a or b`, with `b` evaluated only where Python would, or where `a` is an expression."""
    if isinstance(a, (Buffer, BufferRegion)):
        condition(a)
    if not _is_open(a):
        return evaluate() if bool(a) == (operator == "and") else a
    return _joined(operator, a, _later(evaluate))


def logical_now(operator: str, a, b):
    return _joined(operator, a, b) if _is_open(a) else b


def decides(operator: str, a) -> bool:
    """Whether `a` alone gives the result."""
    return not _is_open(a) and bool(a) != (operator == "and")


def negation(a):
    if _is_open(a):
        return PrimExpr(fn.expr_unary("not", logical_operand(a, "not")))
    return not condition(a)


def chain(first, *parts):
    """`a < b <= c`: each comparison in turn, joined by `and`; operands are evaluated once, and only as needed."""
    result, left = True, first
    for operator, evaluate in zip(parts[::2], parts[1::2], strict=True):
        right = _later(evaluate) if _is_open(result) else evaluate()
        step = _PYTHON[operator](left, right)
        result = _joined("and", result, step) if _is_open(result) else step
        if not _is_open(result) and not result:
            return result
        left = right
    return result


def contains(container, item, negated: bool):
    """`item in container`; with symbolic members, a comparison with each."""
    if isinstance(container, (Buffer, BufferRegion, PrimExpr)):
        fail(TypeError, 9, f"`in`: `{container}` is not a Python container", help="compare elements one by one")
    if not isinstance(container, (list, tuple, set, frozenset, dict, range)):
        found = item in container
        return not found if negated else found
    if not _is_open(item) and not any(map(_is_open, container)):
        found = item in container
        return not found if negated else found
    if isinstance(container, range) and len(container) > 8:
        result = _in_range(container, item)
    else:
        result = False
        for member in container:
            if operand(member) is None:
                continue
            equal = item == member
            result = equal if result is False else _joined("or", result, equal)
    return negation(result) if negated else result


def _in_range(numbers: range, item: PrimExpr):
    low, high = min(numbers), max(numbers)
    inside = _joined("and", item >= low, item <= high)
    return inside if abs(numbers.step) == 1 else _joined("and", inside, (item - low) % abs(numbers.step) == 0)


def choose(test, if_true, if_false):
    """`a if c else b`: one of the two where `c` is known, else `T.if_then_else`."""
    known = condition(test)
    if isinstance(known, bool):
        return if_true() if known else if_false()
    a, b = _later(if_true), _later(if_false)
    x, y = operand(a), operand(b)
    if x is None or y is None:
        odd = a if x is None else b
        fail(
            TypeError,
            9,
            f"`a if c else b` with a condition that is not known while tracing chooses between values, and "
            f"`{odd!r}` is a {type(odd).__name__}",
            help="use an `if` statement, or a condition of Python values",
        )
    return PrimExpr(fn.expr_select(known._h, x, y))
