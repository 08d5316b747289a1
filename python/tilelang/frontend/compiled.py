"""Rewritten functions: made once for each code object, then bound to the globals and closure of each function
object."""

from __future__ import annotations

import ast
import re
import types
from dataclasses import dataclass

from .names import FunctionNames
from .rewrite import FunctionRewriter
from .rewrite_assign import fill_locations
from .rewrite_expr import RUNTIME
from .source import Position, read_source


@dataclass(frozen=True)
class RewrittenCode:
    """The code object of the rewritten function, with what its numbered calls refer to."""

    code: types.CodeType
    file: str
    parameters: tuple[str, ...]
    declared: tuple[str, ...]
    positions: list[Position]
    refusals: list[tuple]
    tree: ast.FunctionDef

    @property
    def source(self) -> str:
        """The rewritten function as text."""
        return ast.unparse(self.tree)


_PRIVATE = re.compile(r"_+[^_].*?__(\w*[^_]_?)$")
_OUTER, _INNER = "__tl_make", "__tl_function"
_cache: dict[tuple, RewrittenCode] = {}


def rewritten(function: types.FunctionType, outer: dict | None = None) -> RewrittenCode:
    """The rewritten code of `function`. `outer` are names of enclosing functions that its closure may lack.

    The closure lacks a name that occurs in annotations only, under `from __future__ import annotations`.
    """
    # Code objects are equal where their files differ; positions are not.
    key = (function.__code__, function.__code__.co_filename, frozenset(outer or ()))
    found = _cache.get(key)
    if found is None:
        found = _cache[key] = _rewrite(function.__code__, outer or {})
    return found


def _rewrite(code: types.CodeType, outer: dict) -> RewrittenCode:
    source = read_source(code)
    tree = source.tree
    names = FunctionNames(tree)
    rewriter = FunctionRewriter(names, source.lines, private_names(code))
    rewriter.mark(tree)  # position 0: the head
    body = rewriter.rewrite(tree)
    arguments = [ast.arg(RUNTIME), *(ast.arg(name) for name in names.parameters)]
    # Under a name of its own: the function's name, where the body uses it, is the global or closure cell of that name.
    inner = ast.FunctionDef(_INNER, _plain_arguments(arguments), body, [], None)
    free = sorted((set(outer) - names.locals) | set(code.co_freevars))
    make = ast.FunctionDef(_OUTER, _plain_arguments([ast.arg(n) for n in free]), [inner], [], None)
    module = ast.Module([make], [])
    for node in (inner, make):
        ast.copy_location(node, tree)
    _set_type_params(module)
    fill_locations(module, tree)
    compiled = compile(module, source.file, "exec", dont_inherit=True)
    function = _code_inside(_code_inside(compiled, _OUTER), _INNER).replace(co_name=code.co_name)
    if hasattr(code, "co_qualname"):
        function = function.replace(co_qualname=code.co_qualname)
    inner.name = code.co_name
    return RewrittenCode(
        function,
        source.file,
        tuple(names.parameters),
        tuple(names.declared),
        rewriter.positions,
        rewriter.refusals,
        inner,
    )


def private_names(code: types.CodeType) -> dict[str, str]:
    """`__name` -> `_Class__name`, for the private attributes that a method uses."""
    return {f"__{m[1]}": m[0] for name in code.co_names if (m := _PRIVATE.match(name))}


def _set_type_params(tree: ast.AST) -> None:
    """Python 3.12 requires the field on every `def`."""
    if "type_params" not in ast.FunctionDef._fields:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.type_params = []


def _plain_arguments(arguments: list[ast.arg]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])


def _code_inside(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def instantiate(code: RewrittenCode, function: types.FunctionType, outer: dict | None = None) -> types.FunctionType:
    """The rewritten function with the globals and the closure cells of `function`.

    It takes the activation, then the parameters in order, `*args` as a tuple and `**keywords` as a dict.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = []
    for name in code.code.co_freevars:
        if name in cells:
            closure.append(cells[name])
        else:
            closure.append(types.CellType((outer or {})[name]))
    return types.FunctionType(code.code, function.__globals__, code.code.co_name, None, tuple(closure))
