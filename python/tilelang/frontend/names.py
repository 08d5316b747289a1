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


def _named_without_node(node: ast.AST) -> tuple[str, ...] | list[str]:
    """Names that a statement or pattern binds and that are no `ast.Name` below it."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        return (node.name,)
    if isinstance(node, ast.MatchMapping) and node.rest:
        return (node.rest,)
    return ()


def _collect(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        found.add(node.id)
    elif isinstance(node, _COMPREHENSIONS):
        # Its targets are its own; a walrus inside binds outside.
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                found.add(inner.target.id)
        return
    else:
        found.update(_named_without_node(node))
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
        scan = _BodyScan()
        for statement in tree.body:
            scan.visit(statement, in_region=False, in_comprehension=False)
        self.outer = scan.outer
        self.locals = (scan.bound | set(self.parameters)) - scan.outer
        several = {n for n, count in scan.stores.items() if count > 1 and n in self.locals}
        self.tracked = (scan.in_region | several) - scan.outer
        # Parameters that the body declares with a bare annotation, `A: T.Tensor(...)`.
        self.declared = [n for n in scan.annotated if n in self.parameters]


class _BodyScan:
    """What `FunctionNames` needs, gathered in one walk: tracing waits for it."""

    def __init__(self):
        self.outer: set[str] = set()
        self.bound: set[str] = set()
        # Bound inside a loop, branch or `with`.
        self.in_region: set[str] = set()
        self.annotated: list[str] = []
        self.stores: dict[str, int] = {}

    def visit(self, node: ast.AST, in_region: bool, in_comprehension: bool) -> None:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                self.stores[node.id] = self.stores.get(node.id, 0) + 1
                if not in_comprehension:
                    self.bind((node.id,), in_region)
            return
        if isinstance(node, (ast.Constant, ast.expr_context, ast.operator)):
            return
        if isinstance(node, _SCOPES):
            return
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            self.outer.update(node.names)
        elif isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
            self.annotated.append(node.target.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.stores[node.target.id] = 2
        elif isinstance(node, ast.NamedExpr) and in_comprehension:
            # The targets of a comprehension are its own; a walrus inside binds outside.
            self.bind((node.target.id,), in_region)
        elif isinstance(node, _COMPREHENSIONS):
            in_comprehension = True
        else:
            self.bind(_named_without_node(node), in_region)
        in_region = in_region or isinstance(node, _REGIONS)
        for field in node._fields:
            child = getattr(node, field, None)
            if isinstance(child, ast.AST):
                self.visit(child, in_region, in_comprehension)
            elif isinstance(child, list):
                for element in child:
                    if isinstance(element, ast.AST):
                        self.visit(element, in_region, in_comprehension)

    def bind(self, names, in_region: bool) -> None:
        self.bound.update(names)
        if in_region:
            self.in_region.update(names)
