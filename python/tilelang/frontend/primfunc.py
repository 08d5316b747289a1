"""A traced function, as programs see it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tilelang._ffi import fn


class PrimFunc:
    """One function of the kernel language: parameters, and a body that launches tile programs.

    `handle` is the C++ function. `params` are the buffers and variables of its parameters, in call order;
    `output_indices` those of its `T.empty` outputs, in the order of `return`. `captures` are the globals and closure
    cells its source refers to, with the values they had (see `frontend.captured`).
    """

    __slots__ = ("__weakref__", "_attrs", "captured", "handle", "output_indices", "params", "signature")

    def __init__(
        self,
        handle,
        params: list,
        output_indices: list[int],
        attrs: dict,
        captured: Mapping | None = None,
        signature=None,
    ):
        self.handle = handle
        self.params = params
        self.output_indices = output_indices
        self.captured = captured or {}
        self.signature = signature
        self._attrs = dict(attrs)

    @property
    def name(self) -> str:
        return str(fn.function_name(self.handle))

    __name__ = name

    @property
    def attrs(self) -> Mapping:
        """Attributes; `tilelang_out_idx` where the function returns `T.empty` outputs."""
        attrs = {"global_symbol": self.name, **self._attrs}
        if self.output_indices:
            attrs["tilelang_out_idx"] = list(self.output_indices)
        return MappingProxyType(attrs)

    def with_attr(self, key: str | Mapping, value=None) -> PrimFunc:
        """A copy with one attribute, or those of a mapping, set."""
        changed = dict(key) if isinstance(key, Mapping) else {key: value}
        return PrimFunc(
            self.handle, self.params, self.output_indices, {**self._attrs, **changed}, self.captured, self.signature
        )

    def script(self, positions: bool = False) -> str:
        """The text of the function, which `tlc` and `tilelang.ir` read back; `positions` adds source positions."""
        return str(fn.function_text(self.handle, positions))

    @property
    def body(self) -> str:
        """The text between the function's braces."""
        text = self.script()
        return text[text.index("{") + 1 : text.rindex("}")].strip("\n")

    @property
    def launches(self) -> int:
        """The number of `with T.Kernel` blocks."""
        return fn.function_launches(self.handle)

    def __repr__(self) -> str:
        return self.script()

    def __call__(self, *_args, **_keywords):
        from .state import fail

        fail(
            TypeError,
            9,
            f"`{self.name}` is a traced function, not a compiled kernel",
            help="compile it: kernel = tilelang.compile(function)",
        )
