"""Annotations and keywords of older programs, shared by the operations."""

from __future__ import annotations

import functools

from tilelang.frontend.state import fail, warn

from .expr import PrimExpr


def as_hints(annotations: dict | None, **keywords) -> dict:
    """Plain data for the IR: the keywords that were given, overridden by `annotations`."""
    merged = {k: v for k, v in keywords.items() if v is not None}
    merged.update(annotations or {})
    return {str(k): _plain(str(k), v) for k, v in merged.items()}


def _plain(key: str, value):
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, PrimExpr):
        return value.value
    if isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
        return [int(v) for v in value]
    fail(
        TypeError,
        9,
        f"annotation `{key}`: a {type(value).__name__} is not plain data",
        help="annotations are numbers, strings and lists of ints",
    )


def older_keywords(**meanings):
    """Lets a function accept keywords that older programs pass and that have no meaning here; each use is a warning.

    `meanings` gives for each keyword what happens instead. The signature stays that of the function.
    """

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            for name in meanings.keys() & kwargs.keys():
                del kwargs[name]
                warn(88, f"T.{function.__name__}: keyword `{name}` is ignored: {meanings[name]}")
            return function(*args, **kwargs)

        return call

    return decorate


def const_int(value, what: str, code: int = 85, kind: type = ValueError) -> int:
    """A Python int from an int or a constant expression; else raises `kind` with `code`."""
    if isinstance(value, bool) or not isinstance(value, int):
        known = getattr(value, "value", None) if isinstance(value, PrimExpr) else None
        if isinstance(known, bool) or not isinstance(known, int):
            fail(
                kind,
                code,
                f"{what} is `{value}`, which is not a constant integer",
                help="use a Python int: it is needed when the kernel is compiled",
            )
        return known
    return value
