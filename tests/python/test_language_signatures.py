"""Signatures: names, order, kinds and defaults of parameters are those that programs were written for."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import tilelang.language as T

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("data").joinpath("api_signatures.tsv").read_text().splitlines()
    if not line.startswith("#")
]
FUNCTIONS = [row for row in ROWS if row[1] not in ("property", "enum")]


def split_parameters(signature: str) -> list[str]:
    """The parameters of `(a: int, b: dict[str, int] = {}, *c) -> X`, each as text."""
    assert signature.startswith("(")
    depth, start, parts = 0, 1, []
    for position, character in enumerate(signature):
        depth += character in "([{"
        depth -= character in ")]}"
        if (character == "," and depth == 1) or depth == 0:
            parts.append(signature[start:position].strip())
            start = position + 1
        if depth == 0:
            break
    return [part for part in parts if part]


def parameter_of(text: str) -> tuple[str, str | None]:
    """Name (with its stars) and default of one parameter; annotations are not compared."""
    name = re.match(r"[*\w]+|/", text)[0]
    without_annotation = re.sub(r"^([*\w]+): [^=]*", r"\1", text)
    _, equals, default = without_annotation.partition("=")
    return name, normalised(default.strip()) if equals else None


def normalised(default: str) -> str:
    """One spelling for defaults that have several: `dtype(float32)`, `'float32'`, `<GemmWarpPolicy.Square: 0>`."""
    default = re.sub(r"^dtype\('?(\w+)'?\)$", r"\1", default)
    default = re.sub(r"^<(.*): \d+>$", r"\1", default)
    return default.strip("'\"")


def expected(signature: str) -> list[tuple[str, str | None]]:
    return [parameter_of(text) for text in split_parameters(signature)]


def found(function) -> list[tuple[str, str | None]]:
    result: list[tuple[str, str | None]] = []
    starred = False
    for p in inspect.signature(function).parameters.values():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not starred:
            result.append(("*", None))
        starred = starred or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        default = None if p.default is p.empty else normalised(repr(p.default))
        result.append((stars + p.name, default))
    return result


def resolve(name: str):
    value = T
    for part in name.split("."):
        value = inspect.getattr_static(value, part) if inspect.isclass(value) else getattr(value, part)
    return value


@pytest.mark.parametrize("name, kind, signature", FUNCTIONS, ids=[row[0] for row in FUNCTIONS])
def test_signature(name: str, kind: str, signature: str) -> None:
    value = resolve(name)
    if kind == "Macro":
        assert callable(value)  # recorded as (*args, **kwargs): what it takes is not known
        return
    if kind == "classmethod":
        value = value.__func__
    if kind.endswith("Proxy"):
        value = value.__call__
    if kind == "class":
        value = value.__init__
    assert found(value) == expected(signature)


def test_properties_exist() -> None:
    for name, kind, _ in ROWS:
        if kind == "property":
            assert resolve(name) is not None


def test_warp_policies() -> None:
    assert [(p.name, p.value) for p in T.GemmWarpPolicy] == [("Square", 0), ("FullRow", 1), ("FullCol", 2)]


def test_all_names_exist() -> None:
    for name in T.__all__:
        assert hasattr(T, name)


def test_names_of_later_versions_say_so() -> None:
    with pytest.raises(AttributeError, match="T.tma_copy is not available in this version: asynchronous"):
        _ = T.tma_copy
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = T.nonsense
    assert not hasattr(T, "atomic_add")


def test_no_name_is_both_there_and_missing() -> None:
    from tilelang.language import later

    assert not set(later.names()) & set(vars(T))
