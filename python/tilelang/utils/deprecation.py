"""Names that go away, and the date of a build."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable

__all__ = ["build_date", "deprecated"]


def deprecated(method_name: str, new_method_name: str, phaseout_version: str | None = None) -> Callable:
    """A decorator: calls of the function warn that `method_name` is replaced by `new_method_name`."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapper(*args, **keywords):
            ends = f" and will be removed in {phaseout_version}" if phaseout_version else ""
            warnings.warn(
                f"{method_name} is deprecated, use {new_method_name} instead{ends}", DeprecationWarning, stacklevel=2
            )
            return function(*args, **keywords)

        return wrapper

    return decorate


def build_date(version_str: str | None = None) -> int | None:
    """The date of a nightly version, as the number YYYYMMDD; None for a release."""
    from tilelang._version import __version__

    match = re.search(r"(?:\.dev|\+|\.d|[-_])(20\d{6})(?!\d)", version_str or __version__)
    return int(match[1]) if match else None
