"""Names that the dialect does not have: those that come later, and those of the common language that are none of it."""

from __future__ import annotations

import functools
from pathlib import Path

from tilelang.language import later


@functools.cache
def absent() -> frozenset[str]:
    """Names of `tilelang.language` that belong to other machines, from `absent.txt`."""
    return frozenset((Path(__file__).with_name("absent.txt")).read_text(encoding="utf-8").split())


@functools.cache
def names() -> dict[str, str]:
    """Name -> theme of what comes later: from `later.tsv` here, and what the common language will have."""
    shared = {name: theme for name, theme in later.names().items() if name not in absent()}
    return {**shared, **later.read(Path(__file__).with_name("later.tsv"))}


def explain(name: str) -> str:
    """The text of the `AttributeError` for `T.<name>`."""
    if name in absent():
        return f"T.{name} is not in the Ascend dialect: it belongs to `import tilelang.language as T`, for GPUs"
    theme = names().get(name)
    if theme is not None:
        return f"T.{name} is not available in this version: {theme}"
    return f"module 'tilelang.ascend.language' has no attribute '{name}'"
