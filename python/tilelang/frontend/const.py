"""Compile-time dimensions of an eager kernel while its signature is being learnt."""

from __future__ import annotations

import operator

from tilelang._ffi import fn
from tilelang.language.expr import Var

from .state import fail


class Const(Var):
    """A dimension without a value until the annotation of a tensor that has it runs; a number from then on.

    Before, it is a variable: arithmetic makes expressions, and anything that needs the number is an error.
    """

    __slots__ = ("number", "outline")

    def __init__(self, name: str, dtype, outline):
        super().__init__(name, dtype)
        self.number: int | None = None
        self.outline = outline

    def bind(self, number: int) -> None:
        self.number = number
        self._h = fn.expr_int(str(self._dtype), number)

    def forced(self) -> int:
        """The number, where it decides something. Raises `ValueError` while there is none."""
        self.outline.value_dependent = True
        if self.number is None:
            fail(
                ValueError,
                85,
                f"Constexpr variable `{self._name}` has no value yet: it is solved when the annotation of a tensor "
                "with that dimension runs",
                help=f"use `{self._name}` after that annotation, or pass {self._name}= by keyword",
            )
        return self.number

    def __bool__(self) -> bool:
        return bool(self.forced())

    def __int__(self) -> int:
        return self.forced()

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.forced())

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return format(self.forced(), spec)


def _arithmetic(name: str, reflected: bool, compares: bool):
    function = getattr(operator, name)
    inherited = getattr(Var, f"__{'r' if reflected else ''}{name.strip('_')}__")

    def method(self, other):
        if self.number is None:
            return inherited(self, other)
        if compares:
            self.outline.value_dependent = True
        other = other.number if isinstance(other, Const) and other.number is not None else other
        return function(other, self.number) if reflected else function(self.number, other)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(Const, f"__{_name.strip('_')}__", _arithmetic(_name, False, False))
    setattr(Const, f"__r{_name.strip('_')}__", _arithmetic(_name, True, False))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Const, f"__{_name}__", _arithmetic(_name, False, True))
