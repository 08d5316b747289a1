"""Prints of a core or of a region's threads."""

from __future__ import annotations

from typing import Any

from tilelang.language.print_assert import print as print_where_it_runs


def print(obj: Any = None, msg: str = "") -> None:
    """Prints a message, the value of an expression, or the elements of a buffer or region, where the kernel runs.

    Raises `ValueError` (`Unexpected type`) for other objects, `AssertionError` (`msg must not be empty`) for nothing.
    """
    print_where_it_runs(obj, msg)
