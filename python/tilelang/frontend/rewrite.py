"""Rewriting of statements: the function that the user wrote becomes one that runs against an activation `__tl`.

    __tl.at(7)                          before every statement: its position, and the name its value will have
    x = e            x = __tl.bind('x', x, e)
    a, b = e         __tl_1 = __tl.unpack(e, ('a', 'b')), then each target
    A[i] = e         __tl.set_item(A, i, e)
    A[i] += e        __tl.update_item(A, i, 'add', e)
    if c: ...        __tl_2 = __tl.branch(c, (x, y));  if __tl_2.enter(): ...;  (x, y) = __tl_2.leave((x, y))
    for i in it: ... __tl_3 = __tl.loop(it, ('i',));  for __tl_4 in __tl_3.items(): ...
    while c: ...     __tl_5 = __tl.while_loop();  if __tl_5.test(c): ...
    with e as v: ... __tl_6 = __tl.scope(e, (x, y));  with __tl_6 as __tl_7: ...

`(x, y)` are the names bound inside the construct: at its end they get back what they held before, or a marker that
says why they hold nothing. Line numbers stay those of the file, so Python's own tracebacks point at the user's lines.
"""

from __future__ import annotations

import ast

from .names import bound_names, target_names
from .rewrite_assign import AssignmentRewriter
from .rewrite_expr import delayed, literal, load, runtime_call, store


def name_tuple(names: list[str], context) -> ast.Tuple:
    return ast.Tuple([ast.Name(n, context()) for n in names], context())


class FunctionRewriter(AssignmentRewriter):
    """Rewrites the statements of one function."""

    def __init__(self, names, lines, private):
        super().__init__(names, lines, private)
        # The loops around the statement being rewritten: (variable of the loop object, whether Python loops too).
        self.loops: list[tuple[str, bool]] = []

    def rewrite(self, tree: ast.FunctionDef) -> list[ast.stmt]:
        body = self.block(tree.body)
        unset = sorted(self.names.tracked - set(self.names.parameters))
        if unset:
            start = ast.Assign([store(name) for name in unset], ast.Attribute(load("__tl"), "UNBOUND", ast.Load()))
            body.insert(0, ast.copy_location(start, tree))
        return body or [ast.copy_location(ast.Pass(), tree)]

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            result += self.located(statement, self.statement(statement))
            if isinstance(statement, (ast.Break, ast.Continue)):
                if index + 1 < len(statements):
                    following = statements[index + 1]
                    dead = ast.Expr(runtime_call("unreachable", self.mark(following)))
                    # Ahead of the jump: what follows it is never traced.
                    result = result[:-1] + self.located(following, [dead]) + result[-1:]
                break
        return result

    def located(self, origin: ast.stmt, made: list[ast.stmt]) -> list[ast.stmt]:
        """Gives new statements the line of the one they stand for; `fill_locations` sees to what is in them."""
        for statement in made:
            if not hasattr(statement, "lineno"):
                ast.copy_location(statement, origin)
        return made

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        method = getattr(self, "on_" + type(node).__name__, None)
        if method is None:
            message = f"`{type(node).__name__}` statement has no meaning in a kernel"
            return [ast.Expr(self.refusal(node, NotImplementedError, 5, message))]
        return method(node)

    # Statements without control flow.

    def on_Pass(self, node):
        return [node]

    on_Import = on_ImportFrom = on_Global = on_Nonlocal = on_Pass

    def on_Expr(self, node: ast.Expr):
        if isinstance(node.value, ast.Constant):
            return [node]
        at = self.at(node.value)
        return [at, ast.Expr(runtime_call("expression", self.visit(node.value)))]

    def on_Assert(self, node: ast.Assert):
        at = self.at(node.test)
        message = delayed(self.visit(node.msg) if node.msg else literal(None))
        return [at, ast.Expr(runtime_call("assertion", self.visit(node.test), message))]

    def on_Raise(self, node: ast.Raise):
        at = self.at(node)
        node.exc = node.exc and self.visit(node.exc)
        node.cause = node.cause and self.visit(node.cause)
        return [at, node]

    def on_Delete(self, node: ast.Delete):
        result: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self.names.tracked:
                result.append(ast.Assign([store(target.id)], ast.Attribute(load("__tl"), "UNBOUND", ast.Load())))
            else:
                result.append(ast.Delete([self.visit(target)]))
        return result

    def on_Return(self, node: ast.Return):
        value = self.visit(node.value) if node.value else literal(None)
        return [
            self.at(node),
            ast.Return(runtime_call("returned", value, literal(node.value is not None))),
        ]

    def on_Break(self, node):
        return self.jump("leave_loop", node)

    def on_Continue(self, node):
        return self.jump("next_iteration", node)

    def jump(self, method: str, node: ast.stmt) -> list[ast.stmt]:
        loop, in_python = self.loops[-1]
        call = ast.Call(ast.Attribute(load(loop), method, ast.Load()), [], [])
        if not in_python:
            return [self.at(node), ast.Expr(call)]
        return [self.at(node), ast.If(call, [node], [])]

    def on_FunctionDef(self, node):
        message = f"`{node.name}` is defined inside a kernel: nested functions and classes are not part of it"
        return [
            ast.Expr(
                self.refusal(node, NameError, 10, message, "define it outside, as a T.macro if it emits statements")
            )
        ]

    on_AsyncFunctionDef = on_ClassDef = on_FunctionDef

    # Control flow.

    def on_If(self, node: ast.If):
        names = self.names_of([*node.body, *node.orelse])
        branch = self.temporary()
        at = self.at(node.test)
        test = self.visit(node.test)
        make = ast.Assign([store(branch)], runtime_call("branch", test, name_tuple(names, ast.Load), _strings(names)))
        result = [at, make]
        result.append(
            ast.If(self.call(branch, "enter"), [*self.block(node.body), self.handover(branch, "leave", names)], [])
        )
        if node.orelse:
            body = [*self.block(node.orelse), self.handover(branch, "leave", names)]
            result.append(ast.If(self.call(branch, "otherwise"), body, []))
        result.append(self.handover(branch, "close", names))
        return result

    def on_For(self, node: ast.For):
        if node.orelse:
            message = "`for ... else` has no meaning in a kernel"
            return [
                ast.Expr(
                    self.refusal(node.orelse[0], NotImplementedError, 5, message, "put the else part after the loop")
                )
            ]
        names = self.names_of([*node.body, node.target])
        loop, item = self.temporary(), self.temporary()
        at = self.at(node.iter)
        iterable = self.iterable(node.iter)
        make = ast.Assign(
            [store(loop)], runtime_call("loop", iterable, _strings(target_names(node.target)), _strings(names))
        )
        self.loops.append((loop, True))
        body = [
            self.handover(loop, "enter", names),
            *self.set_loop_target(node.target, loop, item),
            *self.block(node.body),
        ]
        self.loops.pop()
        body.append(self.handover(loop, "leave", names))
        return [at, make, ast.For(store(item), self.call(loop, "items"), body, [])]

    def set_loop_target(self, target: ast.expr, loop: str, item: str) -> list[ast.stmt]:
        """Loop variables are names for what the loop gives: nothing is evaluated or stored."""
        if isinstance(target, ast.Name):
            return [ast.Assign([target], load(item))]
        if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in target.elts):
            held = self.temporary()
            names = ast.Tuple([literal("")] * len(target.elts), ast.Load())
            result: list[ast.stmt] = [ast.Assign([store(held)], runtime_call("unpack", load(item), names))]
            for index, element in enumerate(target.elts):
                part = self.temporary()
                result.append(ast.Assign([store(part)], ast.Subscript(load(held), literal(index), ast.Load())))
                result += self.set_loop_target(element, loop, part)
            return result
        return self.set_target(target, load(item))

    def iterable(self, node: ast.expr) -> ast.expr:
        """`range(...)` at the head of a loop is a loop of the kernel."""
        is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
        if is_range and not self.is_tracked("range") and not node.keywords:
            arguments = [self.visit(a) for a in node.args]
            return ast.copy_location(runtime_call("range", load("range"), *arguments), node)
        return self.visit(node)

    def on_While(self, node: ast.While):
        if node.orelse:
            message = "`while ... else` has no meaning in a kernel"
            return [
                ast.Expr(
                    self.refusal(node.orelse[0], NotImplementedError, 5, message, "put the else part after the loop")
                )
            ]
        names = self.names_of([*node.body, ast.Expr(node.test)])
        loop = self.temporary()
        at = self.at(node.test)
        make = ast.Assign([store(loop)], runtime_call("while_loop", _strings(names)))
        enter = self.handover(loop, "enter", names)
        test = ast.Call(ast.Attribute(load(loop), "test", ast.Load()), [self.visit(node.test)], [])
        self.loops.append((loop, False))
        body = self.block(node.body)
        self.loops.pop()
        choice = ast.If(test, [*body, self.handover(loop, "leave", names)], [self.handover(loop, "skip", names)])
        return [at, make, enter, choice]

    def on_With(self, node: ast.With):
        item, rest = node.items[0], node.items[1:]
        inner: list[ast.stmt] = node.body
        if rest:
            inner = [ast.copy_location(ast.With(rest, node.body), node)]
        targets = [item.optional_vars] if item.optional_vars is not None else []
        names = self.names_of([*inner, *targets])
        scope, value = self.temporary(), self.temporary()
        at = self.at(item.context_expr)
        make = ast.Assign(
            [store(scope)],
            runtime_call("scope", self.visit(item.context_expr), name_tuple(names, ast.Load), _strings(names)),
        )
        body: list[ast.stmt] = []
        if item.optional_vars is not None:
            body += self.set_loop_target(item.optional_vars, scope, value)
        body += [*self.block(inner), self.handover(scope, "leave", names)]
        return [at, make, ast.With([ast.withitem(load(scope), store(value))], body)]

    def on_Try(self, node: ast.Try):
        depth = self.temporary()
        mark = ast.Assign([store(depth)], runtime_call("depth"))
        node.body = self.block(node.body)
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            handler.body = [
                ast.copy_location(ast.Expr(runtime_call("unwind", load(depth))), handler),
                *self.block(handler.body),
            ]
        node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return [mark, node]

    def on_Match(self, node: ast.Match):
        at = self.at(node.subject)
        node.subject = runtime_call("match_subject", self.visit(node.subject))
        for case in node.cases:
            case.guard = case.guard and runtime_call("static_condition", self.visit(case.guard))
            case.body = self.block(case.body)
        return [at, node]

    # Pieces.

    def names_of(self, nodes: list[ast.AST]) -> list[str]:
        return [n for n in bound_names(nodes) if n not in self.names.outer]

    def call(self, name: str, method: str) -> ast.Call:
        return ast.Call(ast.Attribute(load(name), method, ast.Load()), [], [])

    def handover(self, holder: str, method: str, names: list[str]) -> ast.stmt:
        """`(x, y) = holder.method((x, y))`."""
        call = ast.Call(ast.Attribute(load(holder), method, ast.Load()), [name_tuple(names, ast.Load)], [])
        return ast.Assign([name_tuple(names, ast.Store)], call) if names else ast.Expr(call)


def _strings(names: list[str]) -> ast.Constant:
    return literal(tuple(names))
