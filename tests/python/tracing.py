"""What the tests of the language share: tracing a function, and expecting a refusal at a marked line."""

from __future__ import annotations

import inspect
import logging
import re
import textwrap

import pytest
import tilelang
import tilelang.language as T
from tilelang.errors import TileLangError

MARK = "# refused"


def text(function) -> str:
    """The body of the traced function: its statements without the head, the launch and their indentation."""
    script = T.prim_func(function).script()
    lines = script.strip().splitlines()[1:-1]
    if lines and lines[0].lstrip().startswith("launch") and lines[-1].strip() == "}":
        lines = lines[1:-1]
    return textwrap.dedent("\n".join(lines)).strip()


def interpret(function, *arrays) -> None:
    """Runs a traced function on its meaning, with every access checked; a finding is an exception."""
    tilelang.compile(function, target="interpret")(*arrays)


def lines(expected: str) -> str:
    return textwrap.dedent(expected).strip()


def marked_line(function) -> int | None:
    source, first = inspect.getsourcelines(inspect.unwrap(function))
    marked = [first + n for n, line in enumerate(source) if MARK in line]
    return marked[0] if marked else None


def refused(function, kind: type[Exception] | tuple, fragment: str, trace=T.prim_func, at=None) -> str:
    """Traces `function` and expects an error of the class `kind` whose text contains `fragment`; returns the text.

    The error points into this function, at the line with the comment `# refused` if there is one.
    """
    with pytest.raises(kind) as caught:
        trace(function)
    error = caught.value
    message = str(error)
    assert isinstance(error, TileLangError), f"{type(error).__name__} is not an error of the package: {message}"
    assert fragment in message
    place = re.search(r"^\s*--> (.+):(\d+):(\d+)$", message, re.MULTILINE)
    assert place, f"the error has no position:\n{message}"
    source = inspect.unwrap(at or function)
    assert place[1] == inspect.getsourcefile(source)
    line = marked_line(source)
    if line is not None:
        assert int(place[2]) == line, message
        assert re.search(r"^\s*\| +\^+$", message, re.MULTILINE), f"no caret:\n{message}"
    return message


def warnings_of(function, caplog) -> str:
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="tilelang"):
        T.prim_func(function)
    return "\n".join(record.getMessage() for record in caplog.records)
