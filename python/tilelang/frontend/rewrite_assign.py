"""Rewriting of assignments: every target of the kernel language, see the table in `rewrite`."""

from __future__ import annotations

import ast

from .names import target_names
from .rewrite_expr import ExpressionRewriter, delayed, literal, load, runtime_call, store

_OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}


_WITHOUT_POSITION = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


class AssignmentRewriter(ExpressionRewriter):
    """Rewrites assignment statements of one function."""

    def at(self, node: ast.AST, hint: str = "") -> ast.stmt:
        return ast.Expr(runtime_call("at", self.mark(node, hint)))

    def on_Assign(self, node: ast.Assign):
        if len(node.targets) == 1:
            return self.assign(node.targets[0], node.value)
        held = self.temporary()
        first = (target_names(node.targets[0]) or [""])[0]
        result = [self.at(node.value, first)]
        # Evaluated once, before anything is stored.
        once = runtime_call("unpack", ast.Tuple([self.visit(node.value)], ast.Load()), literal((first,)))
        result.append(ast.Assign([store(held)], ast.Subscript(once, literal(0), ast.Load())))
        for target in node.targets:
            result += self.set_target(target, load(held))
        return result

    def assign(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            at = self.at(value, target.id)
            return [at, *self.set_target(target, self.visit(value))]
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            value = self.named_elements(target, value)
            return [self.at(value), *self.set_target(target, value)]
        if isinstance(target, ast.Subscript):
            return self.store_element(target, value)
        at = self.at(value)
        return [at, *self.set_target(target, self.visit(value))]

    def store_element(self, target: ast.Subscript, value: ast.expr) -> list[ast.stmt]:
        """`A[i] = e`: what `e` emits is at `e`, the store at the statement."""
        statement = ast.copy_location(ast.Assign([target], value), target)
        statement.end_lineno, statement.end_col_offset = value.end_lineno, value.end_col_offset
        if isinstance(value, (ast.Constant, ast.Name)):
            return [self.at(statement), *self.set_target(target, self.visit(value))]
        held = self.temporary()
        evaluate = ast.Assign([store(held)], self.visit(value))
        return [self.at(value), evaluate, self.at(statement), *self.set_target(target, load(held))]

    def named_elements(self, target, value) -> ast.expr:
        """The elements of a tuple display, each marked with the name it is for: `(__tl.at(3), e)[1]`."""
        names = [t.id if isinstance(t, ast.Name) else "" for t in target.elts]
        elements = []
        for index, element in enumerate(value.elts):
            mark = runtime_call("at", self.mark(element, names[index] if index < len(names) else ""))
            pair = ast.Tuple([mark, self.visit(element)], ast.Load())
            elements.append(ast.Subscript(pair, literal(1), ast.Load()))
            ast.copy_location(elements[-1], element)
        return ast.copy_location(ast.Tuple(elements, ast.Load()), value)

    def set_target(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Statements that give `target` the (already rewritten) value."""
        if isinstance(target, ast.Name):
            if target.id in self.names.outer:
                return [ast.Assign([target], value)]
            return [ast.Assign([target], runtime_call("bind", literal(target.id), self.current(target.id), value))]
        if isinstance(target, ast.Subscript):
            call = runtime_call("set_item", self.visit(target.value), self.index(target.slice), value)
            return [ast.Expr(call)]
        if isinstance(target, (ast.Tuple, ast.List)):
            starred = next((e for e in target.elts if isinstance(e, ast.Starred)), None)
            if starred is not None:
                message = "a starred target in an assignment has no meaning in a kernel"
                return [ast.Expr(self.refusal(starred, NotImplementedError, 5, message, "unpack by index"))]
            held = self.temporary()
            names = ast.Tuple([literal(e.id if isinstance(e, ast.Name) else "") for e in target.elts], ast.Load())
            result: list[ast.stmt] = [ast.Assign([store(held)], runtime_call("unpack", value, names))]
            for index, element in enumerate(target.elts):
                result += self.set_target(element, ast.Subscript(load(held), literal(index), ast.Load()))
            return result
        message = "Attribute assignment not supported in a kernel"
        return [ast.Expr(self.refusal(target, NotImplementedError, 5, message, "assign to a name"))]

    def index(self, node: ast.expr) -> ast.expr:
        """A subscript as a value of its own: slices become `slice(...)`."""
        if isinstance(node, ast.Slice):
            parts = [self.visit(p) if p is not None else literal(None) for p in (node.lower, node.upper, node.step)]
            return ast.copy_location(runtime_call("slice", *parts), node)
        if isinstance(node, ast.Tuple):
            return ast.copy_location(ast.Tuple([self.index(e) for e in node.elts], ast.Load()), node)
        return self.visit(node)

    def on_AugAssign(self, node: ast.AugAssign):
        operator = literal(_OPERATORS[type(node.op)])
        target = node.target
        if isinstance(target, ast.Name):
            at = self.at(node, target.id)
            old = self.visit(ast.copy_location(load(target.id), target))
            value = runtime_call("update", literal(target.id), old, operator, self.visit(node.value))
            return [at, *self.set_target(target, value)]
        at = self.at(node)
        if isinstance(target, ast.Subscript):
            call = runtime_call(
                "update_item", self.visit(target.value), self.index(target.slice), operator, self.visit(node.value)
            )
            return [at, ast.Expr(call)]
        return [at, *self.set_target(target, node.value)]

    def on_AnnAssign(self, node: ast.AnnAssign):
        if not isinstance(node.target, ast.Name):
            return self.assign(node.target, node.value) if node.value else []
        name = node.target.id
        annotation = node.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.copy_location(ast.parse(annotation.value, mode="eval").body, annotation)
            fill_locations(annotation, node)
        if node.value is None:
            at = self.at(node.annotation, name)
            call = runtime_call("declare", literal(name), self.current(name), self.visit(annotation))
            return [at, ast.Assign([store(name)], call)]
        at = self.at(node.value, name)
        value = runtime_call("annotated", self.visit(node.value), delayed(self.visit(annotation)))
        return [at, *self.set_target(node.target, value)]


def fill_locations(node: ast.AST, origin: ast.AST) -> None:
    """Nodes without a position take that of the nearest ancestor that has one, or of `origin`."""
    if "lineno" in node.__dict__:
        origin = node
    for field in node._fields:
        child = getattr(node, field, None)
        for inner in child if child.__class__ is list else (child,):
            if not isinstance(inner, ast.AST) or isinstance(inner, _WITHOUT_POSITION):
                continue
            if "lineno" not in inner.__dict__:
                inner.lineno, inner.col_offset = origin.lineno, origin.col_offset
                inner.end_lineno, inner.end_col_offset = origin.end_lineno, origin.end_col_offset
            fill_locations(inner, origin)
