"""`__tl`: what rewritten code calls. One activation is one run of one rewritten function in a trace: a kernel or a
macro."""

from __future__ import annotations

import operator

from tilelang._ffi import fn
from tilelang.dtypes import dtype
from tilelang.language.buffer import Buffer, BufferRegion, Ref, store
from tilelang.language.expr import PrimExpr, Var, cast_to, is_symbolic, operand
from tilelang.language.kernel import KernelLaunchFrame
from tilelang.language.loop import LoopFrame
from tilelang.language.tensor import BufferProxy, Pointer

from . import conditions, control
from .regions import MARKERS, UNBOUND, Entry, Lost, held
from .snapshot import snapshot
from .state import Builder, fail, warn

_BUILTIN_SLICE = slice


class Activation:
    """`code` is the rewritten function; `macro` its name where it is inlined, called at position `caller`."""

    __slots__ = ("argument_names", "builder", "caller", "code", "locs", "macro", "symbolic")
    UNBOUND = UNBOUND

    def __init__(self, builder: Builder, code, macro: str = "", caller: int = -1):
        self.builder, self.code, self.macro, self.caller = builder, code, macro, caller
        self.locs = [-1] * len(code.positions)
        # Depth at which this function runs: it returns only from there.
        self.symbolic = builder.symbolic
        self.argument_names: frozenset[str] = frozenset()

    # Positions and refusals.

    def loc(self, number: int) -> int:
        loc = self.locs[number]
        if loc < 0:
            p = self.code.positions[number]
            loc = self.builder.new_loc(self.code.file, p.line, p.column, p.end_column, self.macro, self.caller)
            self.locs[number] = loc
        return loc

    def at(self, number: int) -> None:
        self.builder.at(self.loc(number), self.code.positions[number].hint)

    def refuse(self, number: int, refusal: int):
        kind, code, message, help = self.code.refusals[refusal]
        fail(kind, code, message, help=help, loc=self.loc(number))

    def unreachable(self, number: int) -> None:
        loc = self.builder.loc
        self.builder.loc = self.loc(number)
        warn(67, "this statement is never reached: it follows `break` or `continue`")
        self.builder.loc = loc

    def depth(self) -> tuple[int, int]:
        return len(self.builder.frames), self.builder.guarded

    def unwind(self, depth: tuple[int, int]) -> None:
        self.builder.unwind(depth[0])
        self.builder.guarded = depth[1]

    # Names.

    def use(self, value, number: int):
        """The value of a name that may hold none."""
        if value.__class__ not in MARKERS:
            return value
        name = self.code.positions[number].hint
        if isinstance(value, Entry):
            if value.read_at is None:
                value.read_at = self.loc(number)
            return value.value
        loc = self.loc(number)
        if not isinstance(value, Lost):
            fail(
                NameError,
                10,
                f"name `{name}` is used before a value is assigned to it",
                loc=loc,
                help="assign to it before, on every way that leads here",
            )
        where = f"it was assigned here: {self.builder.places[value.loc]}"
        mutable = f"make it a mutable scalar before the {value.region}: {name} = T.alloc_var(dtype)"
        if value.symbolic:
            fail(
                RuntimeError,
                2,
                f"Immutable variable `{name}` is used outside its defining region, a {value.region}",
                loc=loc,
                notes=[where],
                help=mutable,
            )
        fail(
            ValueError,
            6,
            f"`{name}` is assigned inside a {value.region} whose course is not known while the kernel is traced; "
            "a Python value cannot depend on it",
            loc=loc,
            notes=[where],
            help=mutable,
        )

    def bind(self, name: str, current, value):
        """What `name` holds after `name = value`, where it held `current`."""
        target = held(current)
        if isinstance(target, Ref) and not (isinstance(value, Ref) and value.fresh):
            target.store(value)
            return current
        if isinstance(value, PrimExpr):
            return snapshot(self.builder, name, value)
        if isinstance(target, Buffer) and name in self.argument_names and not isinstance(value, Buffer):
            fail(
                TypeError,
                24,
                f"`{name} = ...` gives the name of a tensor parameter to another value and stores nothing",
                help=f"store with {name}[...] = value, or T.fill({name}, value); else use another name",
            )
        return value

    def bind_at(self, number: int, name: str, current, value):
        loc, hint = self.builder.loc, self.builder.hint
        self.at(number)
        result = self.bind(name, current, value)
        self.builder.at(loc, hint)
        return result

    def annotated(self, value, annotation):
        """`x: T.int32 = e` converts; other annotations say nothing to the compiler."""
        kind = annotation()
        if isinstance(kind, dtype) and operand(value) is not None and not (isinstance(value, Ref) and value.fresh):
            return cast_to(kind, value)
        return value

    def declare(self, name: str, current, annotation):
        """`A: T.Tensor(...)` in the body of an eager kernel."""
        if self.builder.eager is None or not isinstance(annotation, (Buffer, Pointer, BufferProxy, dtype)):
            return current
        return self.builder.eager.declare(name, annotation)

    def unpack(self, value, names: tuple):
        """The parts of `value`, evaluated before any of them is stored. Raises `ValueError` for a wrong number."""
        if isinstance(value, (Buffer, BufferRegion)) or (isinstance(value, PrimExpr) and not isinstance(value, Var)):
            fail(
                TypeError,
                9,
                f"cannot unpack `{value}`, a {type(value).__name__}",
                help="take its elements by index, one a statement",
            )
        parts = list(value)
        if len(parts) != len(names):
            few = "not enough" if len(parts) < len(names) else "too many"
            fail(
                ValueError,
                13,
                f"{few} values to unpack: {len(names)} names, {len(parts)} values",
                help="write as many names as there are values",
            )
        for index, part in enumerate(parts):
            if isinstance(part, PrimExpr) and not (isinstance(part, Ref) and part.fresh):
                parts[index] = snapshot(self.builder, names[index] or "value", part)
        return parts

    # Elements.

    slice = staticmethod(_BUILTIN_SLICE)

    def set_item(self, target, index, value) -> None:
        if isinstance(target, BufferRegion):
            element = target[index]
            if isinstance(element, BufferRegion):
                store(element.buffer, (slice(None),), value)  # refused there
            store(element.buffer, element.indices, value)
        elif isinstance(target, Buffer):
            store(target, index if isinstance(index, tuple) else (index,), value)
        elif isinstance(target, PrimExpr):
            fail(
                TypeError,
                24,
                f"`{target}` is one value and has no elements to store to",
                help="assign to the name itself" if isinstance(target, Ref) else "",
            )
        else:
            target[index] = value

    def update_item(self, target, index, name: str, value) -> None:
        old = target[index]
        if isinstance(old, BufferRegion):
            self._refuse_whole(old)
        self.set_item(target, index, _OPERATORS[name](old, value))

    def update(self, name: str, old, operator_name: str, value):
        """The new value of `name op= value`."""
        if isinstance(old, (Buffer, BufferRegion)):
            self._refuse_whole(old)
        if isinstance(old, list) and operator_name == "add":
            return operator.iadd(old, value)
        return _OPERATORS[operator_name](old, value)

    def _refuse_whole(self, buffer):
        fail(
            RuntimeError,
            11,
            f"Attempting to update buffer `{buffer}` as a whole",
            help="update its elements in a T.Parallel loop",
        )

    # Statements.

    def expression(self, value) -> None:
        """A statement that is an expression."""
        if value is None or isinstance(value, (str, Ref)):
            return
        if isinstance(value, PrimExpr) and fn.expr_kind(value._h) == "call":
            fn.builder_evaluate(self.builder.h, value._h)
        elif isinstance(value, LoopFrame):
            warn(9, "a loop without `for` is unused and will be discarded")
        elif isinstance(value, KernelLaunchFrame):
            warn(9, "T.Kernel without `with` is unused and will be discarded")
        elif isinstance(value, (PrimExpr, Buffer, BufferRegion)):
            warn(9, f"`{value}` is unused and will be discarded")

    def assertion(self, test, message) -> None:
        known = conditions.condition(test)
        text = message()
        if isinstance(known, bool):
            if not known:
                raise AssertionError(text if text is not None else "assertion of the kernel failed while tracing")
            return
        fn.builder_assert(self.builder.h, known._h, "" if text is None else str(text))

    def returned(self, value, stated: bool):
        if self.builder.symbolic != self.symbolic:
            fail(
                NotImplementedError,
                5,
                "return from control flow: whether this `return` runs is not known while the kernel is traced",
                help="put the rest into an `else`, or return at the end",
            )
        return value

    # Conditions and control flow.

    condition = staticmethod(conditions.condition)
    static_condition = staticmethod(conditions.static_condition)
    not_ = staticmethod(conditions.negation)
    chain = staticmethod(conditions.chain)
    contains = staticmethod(conditions.contains)
    choose = staticmethod(conditions.choose)

    @staticmethod
    def and_(a, evaluate):
        return conditions.logical("and", a, evaluate)

    @staticmethod
    def or_(a, evaluate):
        return conditions.logical("or", a, evaluate)

    @staticmethod
    def and_now(a, b):
        return conditions.logical_now("and", a, b)

    @staticmethod
    def or_now(a, b):
        return conditions.logical_now("or", a, b)

    @staticmethod
    def decides(method: str, a) -> bool:
        return conditions.decides(method.rstrip("_"), a)

    @staticmethod
    def chainnow(first, *parts):
        delayed = [p if n % 2 == 0 else (lambda p=p: p) for n, p in enumerate(parts)]
        return conditions.chain(first, *delayed)

    @staticmethod
    def match_subject(value):
        if is_symbolic(value):
            fail(
                ValueError,
                85,
                f"`match` on `{value}`, which is not known while the kernel is traced",
                help="use `if` and `elif`",
            )
        return value

    def branch(self, test, before: tuple, names: tuple):
        return control.Branch(self.builder, test, before, names)

    def loop(self, iterable, targets: tuple, names: tuple):
        return control.program_loop_or_python(self.builder, iterable, targets, names)

    def range(self, python_range, *arguments):
        return control.kernel_range(python_range, arguments)

    def while_loop(self, names: tuple):
        return control.WhileLoop(self.builder, names)

    def scope(self, manager, before: tuple, names: tuple):
        return control.Scope(self.builder, manager, before)


_OPERATORS = {
    name: getattr(operator, name)
    for name in (
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "pow",
        "matmul",
    )
}
