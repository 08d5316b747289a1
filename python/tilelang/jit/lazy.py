"""Calls of a factory that returns a traced function."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from tilelang.errors import error_class
from tilelang.frontend import PrimFunc, captures

from .memo import ambient_key, method_owner, state_key, value_key


class LazyCalls:
    """Remembers the kernel of each set of arguments."""

    def __init__(self, function: Callable, compile_function: Callable):
        self._function, self._compile = function, compile_function
        self._signature = inspect.signature(function)
        self._captures = None
        self._kernels: dict = {}

    def key(self, args: tuple, keywords: dict):
        """The form of the call as it is written; `f(1)` and `f(x=1)` share a kernel in the next level of the cache."""
        if self._captures is None:
            self._captures = captures(self._function)
        bound = bool(args) and method_owner(args[0], self._function)
        first = (state_key(args[0]),) if bound else ()
        rest = [value_key(value, "unhashable type") for value in (args[1:] if bound else args)]
        named = [(name, value_key(value, "unhashable type")) for name, value in keywords.items()]
        return (first, tuple(rest), tuple(named), self._captures.key(), ambient_key())

    def trace(self, args: tuple, keywords: dict) -> PrimFunc:
        self._check(args, keywords)
        function = self._function(*args, **keywords)
        if not isinstance(function, PrimFunc):
            raise error_class(TypeError)(
                f"`{self._function.__name__}` returned a {type(function).__name__}: a lazy kernel factory returns a "
                "@T.prim_func"
            )
        return function

    def _check(self, args: tuple, keywords: dict) -> None:
        try:
            self._signature.bind(*args, **keywords)
        except TypeError as error:
            message = str(error)
            if message.startswith("too many positional"):
                message = "too many positional arguments for JIT function"
            raise error_class(TypeError)(f"{self._function.__name__}: {message}") from None

    def compile(self, args: tuple, keywords: dict):
        key = self.key(args, keywords)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._compile(self.trace(args, keywords))
        return kernel

    call = compile
