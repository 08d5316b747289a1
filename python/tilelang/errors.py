"""Exceptions of the package.

A mistake in the user's program raises a class that derives from both `TileLangError` and the built-in that says what
kind of mistake it is (`ValueError`, `TypeError`, ...), so `except ValueError` and `except tilelang.TileLangError`
both work. Its text has the form header, arrow, source line with caret, notes, help. A failure of the compiler itself
is `InternalError`.
"""

from __future__ import annotations

import builtins
import re


class TileLangError(Exception):
    """Base of every error that speaks of the user's program."""

    def __str__(self) -> str:
        # KeyError would show the repr of its text.
        return str(self.args[0]) if len(self.args) == 1 else super().__str__()


class InternalError(RuntimeError):
    """A failure of the compiler, never of the user's program; the text names the reproducer it wrote."""


class JITNoBuilderError(TileLangError):
    """A statement of the kernel language was used where no kernel is being traced."""


class EagerJITBuildError(TileLangError):
    """A function cannot be traced as an eager kernel body."""


_classes: dict[type, type] = {}


def error_class(kind: type | str) -> type:
    """The class that derives from `TileLangError` and from the built-in exception `kind` (a class or its name).

    A name that is no built-in exception gives `InternalError`: only the compiler itself can have sent it.
    """
    if isinstance(kind, str):
        found = getattr(builtins, kind, None)
        if not (isinstance(found, type) and issubclass(found, Exception)):
            return InternalError
        kind = found
    if issubclass(kind, TileLangError) or kind is InternalError:
        return kind
    if kind not in _classes:
        name = "TileLang" + kind.__name__
        _classes[kind] = type(name, (TileLangError, kind), {"__module__": __name__, "__doc__": kind.__doc__})
    return _classes[kind]


_RENDERED = re.compile(r"error\[TL(\d+)\]: ")


def rendered_code(text: str) -> int | None:
    """The number of the (first) diagnostic in a rendered text, or None where `text` is no diagnostic."""
    match = _RENDERED.match(text)
    return int(match[1]) if match else None
