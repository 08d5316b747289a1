"""Names of the language that this version does not have yet, so that using one says so."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def names() -> dict[str, str]:
    """Name -> theme, from `later.tsv`."""
    rows = (Path(__file__).with_name("later.tsv")).read_text(encoding="utf-8").splitlines()
    return dict(row.split("\t") for row in rows if row and not row.startswith("#"))


def explain(name: str) -> str:
    """The text of the `AttributeError` for `T.<name>`."""
    theme = names().get(name)
    if theme is not None:
        return f"T.{name} is not available in this version: {theme}"
    return f"module 'tilelang.language' has no attribute '{name}'"
