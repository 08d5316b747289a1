"""Rewriting of expressions: what Python itself would decide by truth goes through the activation `__tl`.

    a and b        __tl.and_(a, lambda: b)
    not a          __tl.not_(a)
    a < b < c      __tl.chain(a, '<', lambda: b, '<', lambda: c)
    x in xs        __tl.contains(xs, x, False)
    a if c else b  __tl.choose(c, lambda: a, lambda: b)
    name           __tl.use(name, 3)     for names that may hold nothing usable
    (x := e)       (x := __tl.bind('x', x, e))

Everything else stays as it is: operators, calls and subscripts dispatch on the values. Where a part contains a
walrus, which a lambda would hide, the form is a conditional expression instead.
"""

from __future__ import annotations

import ast

from .names import FunctionNames, has_walrus
from .source import Position, position_of

RUNTIME = "__tl"
_COMPARE = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def runtime_call(method: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(load(RUNTIME), method, ast.Load()), list(args), [])


def literal(value) -> ast.Constant:
    return ast.Constant(value)


def delayed(node: ast.expr) -> ast.Lambda:
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, node)


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites expressions of one function. `positions` grows by the places that generated calls refer to by number."""

    def __init__(self, names: FunctionNames, lines: list[str], private: dict[str, str]):
        self.names = names
        self.private = private
        self.lines = lines
        self.positions: list[Position] = []
        self.refusals: list[tuple[type, int, str, str]] = []
        self.temporaries = 0
        self.hidden: list[set[str]] = []

    def mark(self, node: ast.AST, hint: str = "") -> ast.Constant:
        """The number of the position of `node`."""
        self.positions.append(position_of(node, self.lines, hint))
        return literal(len(self.positions) - 1)

    def temporary(self) -> str:
        self.temporaries += 1
        return f"__tl_{self.temporaries}"

    def refusal(self, node: ast.AST, kind: type, code: int, message: str, help: str = "") -> ast.Call:
        """A call that refuses the construct when the trace reaches it."""
        self.refusals.append((kind, code, message, help))
        return ast.copy_location(runtime_call("refuse", self.mark(node), literal(len(self.refusals) - 1)), node)

    def is_tracked(self, name: str) -> bool:
        return name in self.names.tracked and not any(name in hidden for hidden in self.hidden)

    def visit_Name(self, node: ast.Name):
        if isinstance(node.ctx, ast.Load) and self.is_tracked(node.id):
            return ast.copy_location(runtime_call("use", node, self.mark(node, node.id)), node)
        return node

    def visit_Attribute(self, node: ast.Attribute):
        node.value = self.visit(node.value)
        node.attr = self.private.get(node.attr, node.attr)
        return node

    def visit_BoolOp(self, node: ast.BoolOp):
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        result = self.visit(node.values[0])
        for value in node.values[1:]:
            walrus = has_walrus(value)
            rewritten = self.visit(value)
            if walrus:
                held = self.temporary()
                decides = runtime_call("decides", literal(method), ast.NamedExpr(store(held), result))
                result = ast.IfExp(decides, load(held), runtime_call(method + "now", load(held), rewritten))
            else:
                result = runtime_call(method, result, delayed(rewritten))
            ast.copy_location(result, node)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(runtime_call("not_", node.operand), node)
        return node

    def visit_Compare(self, node: ast.Compare):
        walrus = any(has_walrus(c) for c in node.comparators)
        self.generic_visit(node)
        operators = [_COMPARE[type(op)] for op in node.ops]
        if len(operators) == 1:
            if operators[0] in ("in", "not_in"):
                call = runtime_call("contains", node.comparators[0], node.left, literal(operators[0] == "not_in"))
                return ast.copy_location(call, node)
            return node
        parts: list[ast.expr] = [node.left]
        for operator, comparator in zip(operators, node.comparators, strict=True):
            parts += [literal(operator), comparator if walrus else delayed(comparator)]
        return ast.copy_location(runtime_call("chainnow" if walrus else "chain", *parts), node)

    def visit_IfExp(self, node: ast.IfExp):
        walrus = has_walrus(node.body) or has_walrus(node.orelse)
        self.generic_visit(node)
        if not walrus:
            call = runtime_call("choose", node.test, delayed(node.body), delayed(node.orelse))
            return ast.copy_location(call, node)
        chosen = ast.IfExp(runtime_call("static_condition", node.test), node.body, node.orelse)
        return ast.copy_location(chosen, node)

    def visit_NamedExpr(self, node: ast.NamedExpr):
        name = node.target.id
        position = self.mark(node.value, name)
        node.value = runtime_call("bind_at", position, literal(name), self.current(name), self.visit(node.value))
        return node

    def current(self, name: str) -> ast.expr:
        """What `name` holds now, unchecked; None where it may be unbound and cannot be a reference."""
        known = self.is_tracked(name) or name in self.names.parameters
        return load(name) if known else literal(None)

    def visit_Lambda(self, node: ast.Lambda):
        arguments = node.args
        own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]
        self.hidden.append(own)
        node.body = self.visit(node.body)
        self.hidden.pop()
        return node

    def _comprehension(self, node):
        own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        first = self.visit(node.generators[0].iter)  # evaluated in the enclosing scope
        self.hidden.append(own)
        for index, generator in enumerate(node.generators):
            generator.iter = self.visit(generator.iter) if index else first
            generator.ifs = [runtime_call("static_condition", self.visit(test)) for test in generator.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        self.hidden.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _refuse_generator(self, node):
        return self.refusal(node, NotImplementedError, 5, f"`{type(node).__name__.lower()}` has no meaning in a kernel")

    visit_Yield = visit_YieldFrom = visit_Await = _refuse_generator
