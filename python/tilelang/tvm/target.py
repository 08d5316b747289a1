"""`tvm.target`: a target as an object."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

__all__ = ["Target"]

_scopes = threading.local()


class Target:
    """A target's kind with its options; also a scope: in its `with` block it is what `"auto"` means.

    Made from a kind's name or a dict with `kind`. Raises `ValueError` for a string with options.
    """

    def __init__(self, target: str | Mapping[str, Any] | Target, host: Any = None):
        if isinstance(target, Target):
            self._options = dict(target._options)
        elif isinstance(target, str):
            if len(target.split()) != 1:
                raise ValueError(f'Cannot parse target string "{target}": pass options as a dict')
            self._options = {"kind": target}
        elif isinstance(target, Mapping) and "kind" in target:
            self._options = dict(target)
        else:
            raise ValueError(f"Cannot parse target {target!r}: a dict with `kind`, or a kind's name, is needed")
        self.host = host

    @property
    def kind(self) -> SimpleNamespace:
        return SimpleNamespace(name=self._options["kind"])

    @property
    def attrs(self) -> dict[str, Any]:
        """The options without the kind."""
        return {k: v for k, v in self._options.items() if k != "kind"}

    @property
    def arch(self) -> str:
        return self._options.get("arch", "")

    @property
    def keys(self) -> list[str]:
        return list(self._options.get("keys", ()))

    def export(self) -> dict[str, Any]:
        """The target as a dict."""
        return dict(self._options)

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The innermost target scope of this thread. Raises `ValueError` where there is none and `allow_none` is
        false."""
        stack = getattr(_scopes, "targets", None)
        if stack:
            return stack[-1]
        if allow_none:
            return None
        raise ValueError("there is no current target: open one with `with tvm.target.Target(...)`")

    def __enter__(self) -> Target:
        if not hasattr(_scopes, "targets"):
            _scopes.targets = []
        _scopes.targets.append(self)
        return self

    def __exit__(self, *_error) -> None:
        _scopes.targets.pop()

    def _key(self) -> str:
        return repr(sorted(self._options.items(), key=lambda item: item[0]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return " ".join([self._options["kind"], *(f"-{k}={v}" for k, v in self.attrs.items())])

    def __repr__(self) -> str:
        return f"Target({self._options!r})"
