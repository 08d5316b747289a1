"""Macros: functions that are inlined where a kernel calls them."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable

from tilelang.errors import JITNoBuilderError
from tilelang.frontend.state import Builder, current, fail

from .buffer import BufferLoad, BufferRegion, Ref
from .expr import PrimExpr, Var

_MAX_DEPTH = 100


class Macro:
    """An inlined function. `.source` is its rewritten text, `.__wrapped__` the Python function."""

    def __init__(self, function: types.FunctionType, outer: dict | None = None):
        functools.update_wrapper(self, function, updated=())
        self._outer = outer or {}
        self._signature = None
        self._references: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        from tilelang.frontend.compiled import rewritten

        return rewritten(self.__wrapped__, self._outer).source

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args, **keywords):
        """Traces the body into the function being traced; returns what the body returns."""
        builder = current()
        if builder is None:
            raise JITNoBuilderError(
                f"T.macro can only be used inside @T.prim_func or @tilelang.jit: `{self.__name__}` is called outside"
            )
        if builder.guarded:
            fail(
                RuntimeError,
                12,
                f"macro `{self.__name__}` is called in an expression that may be skipped at run time",
                help="call it in a statement of its own, and use the name of its result",
            )
        if builder.macro_depth == _MAX_DEPTH:
            fail(
                RuntimeError,
                12,
                f"macro `{self.__name__}` is nested {_MAX_DEPTH} deep",
                help="end its recursion with a condition on Python values",
            )
        from tilelang.frontend.lazy import run_macro

        caller, hint = builder.loc, builder.hint
        arguments = [self._passed(builder, name, value) for name, value in self._bound(args, keywords)]
        builder.macro_depth += 1
        result = run_macro(builder, self.__wrapped__, self._outer, self.__name__, arguments)
        builder.macro_depth -= 1
        builder.at(caller, hint)
        return result

    def _bound(self, args: tuple, keywords: dict):
        """Pairs of parameter and argument, in order. Raises `TypeError` for a wrong call."""
        if self._signature is None:
            self._read_signature()
        try:
            bound = self._signature.bind(*args, **keywords)
        except TypeError as error:
            message = str(error)
        else:
            bound.apply_defaults()
            return bound.arguments.items()
        fail(TypeError, 84, f"macro `{self.__name__}`: {message}", help=f"it is called as {self._shown()}")

    def _shown(self) -> str:
        return f"{self.__name__}({', '.join(str(p).partition(':')[0] for p in self._signature.parameters.values())})"

    def _read_signature(self) -> None:
        import inspect

        from tilelang.frontend.lazy import resolve_annotation

        self._signature = inspect.signature(self.__wrapped__)
        annotations = {
            p.name: resolve_annotation(p.annotation, self.__wrapped__, self._outer)
            for p in self._signature.parameters.values()
        }
        # In older programs T.Var says the same as T.Ref.
        self._references = frozenset(name for name, kind in annotations.items() if kind is Ref or kind is Var)

    def _passed(self, builder: Builder, name: str, value):
        """What the parameter holds: a reference, a snapshot of an expression, or the value itself."""
        if name in self._references:
            if isinstance(value, BufferRegion):
                return value
            if not isinstance(value, BufferLoad):
                fail(
                    ValueError,
                    8,
                    f"To pass as reference, `{name}` of macro `{self.__name__}` needs a variable, an element or a "
                    f"region, not {_described(value)}",
                    help="pass a T.alloc_var scalar, A[i] or A[0:4]; whole buffers need no T.Ref",
                )
            return self._reference(builder, value)
        return _snapshot(builder, name, value) if isinstance(value, PrimExpr) else value

    @staticmethod
    def _reference(builder: Builder, value: BufferLoad) -> Ref:
        """A reference to an element; its indices are evaluated once, here."""
        if isinstance(value, Ref):
            return value
        indices = tuple(_snapshot(builder, "index", i) if isinstance(i, PrimExpr) else i for i in value.indices)
        return Ref(BufferLoad(value.buffer, indices))


def _described(value) -> str:
    return f"the value `{value}`" if isinstance(value, PrimExpr) else f"a {type(value).__name__}"


def _snapshot(builder: Builder, name: str, value: PrimExpr) -> PrimExpr:
    from tilelang.frontend.snapshot import snapshot

    return snapshot(builder, name, value)


def macro(func: Callable | None = None):
    """Makes a function of the kernel language that is inlined where it is called.

    It takes keywords, defaults, `*args` and `**keywords` and returns any value. Its names are its own; arguments are
    evaluated once. A parameter annotated `T.Ref` is passed by reference: assigning to it stores.
    """
    if func is None:
        return macro
    from tilelang.frontend.lazy import enclosing_names

    function = func.__wrapped__ if isinstance(func, Macro) else func
    return Macro(function, enclosing_names(function))


def inline(func: Callable):
    """A method that is inlined where a kernel calls it; `self` is an ordinary Python object."""
    return macro(func)


def meta_class(cls: type) -> type:
    """A class whose methods are inlined where a kernel calls them; `__init__` and the like stay plain Python."""
    for name, value in list(vars(cls).items()):
        if isinstance(value, types.FunctionType) and not name.startswith("__"):
            setattr(cls, name, Macro(value, {}))
    return cls
