"""Names that the dialect does not have: those that come later, and those of the common language that are none of it."""

from __future__ import annotations

import functools
from pathlib import Path

from tilelang.language import later

# What the dialect has before the common language.
_HERE = frozenset(("Persistent",))


@functools.cache
def absent() -> frozenset[str]:
    """Names of `tilelang.language` that belong to other machines, from `absent.txt`."""
    return frozenset((Path(__file__).with_name("absent.txt")).read_text(encoding="utf-8").split())


@functools.cache
def names() -> dict[str, tuple[str, str]]:
    """Name -> theme and remedy of what comes later: from `later.tsv` here, and what the common language will have."""
    shared = {name: (theme, "") for name, theme in later.names().items() if name not in absent() | _HERE}
    rows = (Path(__file__).with_name("later.tsv")).read_text(encoding="utf-8").splitlines()
    own = (row.split("\t") for row in rows if row and not row.startswith("#"))
    return {**shared, **{name: (theme, remedy) for name, theme, remedy in own}}


def error(name: str) -> AttributeError:
    """What `T.<name>` raises. Its attribute `remedy`, where there is one, says what to do instead."""
    if name in absent():
        found = AttributeError(f"T.{name} is not in the Ascend dialect: it belongs to GPUs")
        found.remedy = "`import tilelang.language as T` has it; here write what it does with other operations"
        return found
    theme, remedy = names().get(name, ("", ""))
    if not theme:
        return AttributeError(f"module 'tilelang.ascend.language' has no attribute '{name}'")
    found = AttributeError(f"T.{name} is not available in this version: {theme}")
    found.remedy = remedy
    return found
