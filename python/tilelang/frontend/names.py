"""Which names a function binds, and where: the static facts that the rewriting rests on."""

from __future__ import annotations

import ast

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REGIONS = (ast.If, ast.For, ast.While, ast.With)


def target_names(target: ast.AST) -> list[str]:
    """Names bound by an assignment target, in order."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in target_names(element)]
    if isinstance(target, ast.Starred):
        return target_names(target.value)
    return []


def bound_names(nodes: list[ast.stmt] | list[ast.AST]) -> list[str]:
    """Names that executing `nodes` may bind or unbind in their own scope, sorted."""
    found: set[str] = set()
    for node in nodes:
        _collect(node, found)
    return sorted(found)


def _collect(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        found.add(node.id)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        found.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        found.add(node.rest)
    elif isinstance(node, _COMPREHENSIONS):
        # Its targets are its own; a walrus inside binds outside.
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                found.add(inner.target.id)
        return
    for child in ast.iter_child_nodes(node):
        _collect(child, found)


def has_walrus(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))


class FunctionNames:
    """Names of a function: parameters, locals, and `tracked` ones: bound inside a loop, branch or `with`, or several
    times.

    A tracked name may come to hold nothing usable (its loop has ended), so its uses are checked; it may stand for a
    mutable value, so an assignment looks at what it holds.
    """

    def __init__(self, tree: ast.FunctionDef):
        arguments = tree.args
        self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        if arguments.vararg:
            self.parameters.append(arguments.vararg.arg)
        self.parameters += [a.arg for a in arguments.kwonlyargs]
        if arguments.kwarg:
            self.parameters.append(arguments.kwarg.arg)
        outer: set[str] = set()
        in_region: set[str] = set()
        annotated: list[str] = []
        stores: dict[str, int] = {}
        for node in walk_scope(tree.body):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                outer.update(node.names)
            elif isinstance(node, _REGIONS):
                in_region.update(bound_names([node]))
            elif isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
                annotated.append(node.target.id)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                stores[node.id] = stores.get(node.id, 0) + 1
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                stores[node.target.id] = 2
        self.outer = outer
        self.locals = (set(bound_names(tree.body)) | set(self.parameters)) - outer
        own_targets = {n for n in stores if n in self.locals}
        self.tracked = (in_region | {n for n in own_targets if stores[n] > 1}) - outer
        # Parameters that the body declares with a bare annotation, `A: T.Tensor(...)`.
        self.declared = [n for n in annotated if n in self.parameters]


def walk_scope(body: list[ast.stmt]):
    """All nodes of `body`, those of nested functions and classes aside."""
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, _SCOPES):
            queue.extend(ast.iter_child_nodes(node))
