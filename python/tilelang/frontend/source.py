"""The syntax tree of a Python function, with the line and column numbers of its file."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from dataclasses import dataclass


@dataclass(frozen=True)
class FunctionSource:
    """`tree` is the `def` statement; `lines` are those of the whole file, for columns and carets."""

    tree: ast.FunctionDef
    file: str
    lines: list[str]


def read_source(code: types.CodeType) -> FunctionSource:
    """The source of the function with code `code`. Raises `OSError` (`could not get source code`) where there is
    none."""
    file = code.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    start = code.co_firstlineno - 1
    if not lines or start >= len(lines):
        raise OSError(f"could not get source code of `{code.co_name}`: {file} cannot be read")
    indented = lines[start][:1].isspace()
    tree = _parse(_block_by_indentation(lines, start), file, indented)
    if tree is None:
        tree = _parse(inspect.getblock(lines[start:]), file, indented)
    if tree is None:
        raise OSError(f"could not get source code of `{code.co_name}`: {file}:{start + 1} is not the text that was run")
    ast.increment_lineno(tree, start - (1 if indented else 0))
    found = tree.body[0].body[0] if indented else tree.body[0]
    if not isinstance(found, ast.FunctionDef) or found.name != code.co_name:
        raise OSError(f"could not get source code of `{code.co_name}`: {file}:{start + 1} holds something else")
    return FunctionSource(found, file, lines)


def _block_by_indentation(lines: list[str], start: int) -> list[str]:
    """The lines of the function at `start`, decorators included, as indentation tells.

    A string or bracket that reaches further left ends it too early; what is cut there does not parse.
    """
    depth = len(lines[start]) - len(lines[start].lstrip())
    inside = False
    for number in range(start, len(lines)):
        text = lines[number].lstrip()
        if not text or text[0] in "#)]}" or len(lines[number]) - len(text) > depth:
            continue
        if inside:
            return lines[start:number]
        inside = text.startswith(("def ", "async def "))
    return lines[start:]


def _parse(block: list[str], file: str, indented: bool) -> ast.Module | None:
    """An indented function parses as the body of an `if`, so that its columns stay those of the file."""
    try:
        return ast.parse(("if True:\n" if indented else "") + "".join(block), filename=file)
    except SyntaxError:
        return None


@dataclass(frozen=True)
class Position:
    """Where a statement is, columns from 1 in characters; `hint` is the name that its value will have."""

    line: int
    column: int
    end_column: int
    hint: str = ""


def position_of(node: ast.AST, lines: list[str], hint: str = "") -> Position:
    """The marked part of `node`: up to the end of its first line."""
    text = lines[node.lineno - 1] if node.lineno <= len(lines) else ""

    def column(offset: int) -> int:
        # ast counts bytes of UTF-8.
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode(errors="ignore")) + 1

    end = node.end_col_offset if node.end_lineno == node.lineno else len(text.rstrip().encode())
    return Position(node.lineno, column(node.col_offset), column(end), hint)


def defines_prim_func(code: types.CodeType) -> bool | None:
    """Whether a decorator of a function inside `code` is called `prim_func`; None where there is no source."""
    try:
        tree = read_source(code).tree
    except OSError:
        return None
    for node in ast.walk(tree):
        if node is not tree and isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if getattr(called, "attr", getattr(called, "id", None)) == "prim_func":
                    return True
    return False
