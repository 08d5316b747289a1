"""Branches, loops and `with` blocks while tracing: the objects that rewritten code drives."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.language.buffer import Buffer, BufferRegion
from tilelang.language.expr import PrimExpr
from tilelang.language.kernel import KernelLaunchFrame
from tilelang.language.loop import CountedLoop, LoopFrame

from .conditions import condition
from .regions import enter_loop, leave_branches, leave_launch, leave_loop
from .state import Builder, fail, need_builder, warn


class Frame:
    """An open block of the program."""

    __slots__ = ("depth",)
    is_symbolic = 1

    def __init__(self):
        self.depth = 1


class Branch:
    """An `if` statement: decided now, or a branch of the program whose two sides are traced."""

    __slots__ = ("before", "builder", "condition", "frame", "loc", "names", "outcomes")

    def __init__(self, builder: Builder, test, before: tuple, names: tuple):
        self.builder, self.before, self.names = builder, before, names
        self.condition = condition(test)
        self.frame: Frame | None = None
        self.outcomes: list[tuple] = []
        self.loc = builder.loc

    def enter(self) -> bool:
        """Opens the first side; whether it is traced."""
        if isinstance(self.condition, bool):
            return self.condition
        fn.builder_if(self.builder.h, self.condition._h)
        self.frame = Frame()
        self.builder.push(self.frame)
        return True

    def otherwise(self) -> bool:
        """Opens the second side; whether it is traced."""
        if self.frame is None:
            return not self.condition
        fn.builder_else(self.builder.h)
        return True

    def leave(self, values: tuple) -> tuple:
        """At the end of a side: the other one starts from the values before."""
        if self.frame is None:
            return values
        self.outcomes.append(values)
        return self.before

    def close(self, values: tuple) -> tuple:
        if self.frame is None:
            return values
        self.builder.pop(self.frame)
        return leave_branches(self.before, self.outcomes, self.loc)


class PythonLoop:
    """A loop over a Python container: it runs while tracing, its body is traced once for each item."""

    __slots__ = ("builder", "depth", "iterable")

    def __init__(self, builder: Builder, iterable):
        self.builder, self.iterable = builder, iterable
        self.depth = builder.symbolic

    def items(self):
        return iter(self.iterable)

    def enter(self, values: tuple) -> tuple:
        return values

    leave = enter

    def leave_loop(self) -> bool:
        return self._jump("break")

    def next_iteration(self) -> bool:
        return self._jump("continue")

    def _jump(self, word: str) -> bool:
        if self.builder.symbolic != self.depth:
            fail(
                ValueError,
                67,
                f"`{word}` under a condition that is not known while tracing, in a loop over a Python container "
                "that is unrolled",
                help="loop over range(...) or T.serial(...)",
            )
        return True


class ProgramLoop:
    """A loop of the program: its body is traced once."""

    __slots__ = ("before", "builder", "described", "entered", "loc", "names", "targets")

    def __init__(self, builder: Builder, described: LoopFrame, targets: tuple, names: tuple):
        self.builder, self.described, self.targets, self.names = builder, described, targets, names
        self.loc = builder.loc
        self.before = self.entered = ()
        described.used = True

    def items(self):
        loop_vars = self.described.open(self.builder, list(self.targets))
        self.builder.push(self.described)
        return (loop_vars,)

    def enter(self, values: tuple) -> tuple:
        self.before = values
        self.entered = enter_loop(values)
        return self.entered

    def leave(self, values: tuple) -> tuple:
        self.builder.pop(self.described)
        return leave_loop(self.names, self.before, self.entered, values, self.loc)

    def leave_loop(self) -> bool:
        fn.builder_break(self.builder.h)
        return False

    def next_iteration(self) -> bool:
        fn.builder_continue(self.builder.h)
        return False


class WhileLoop:
    """A `while` of the program. A condition that is known now is an error where true, and skips the loop where
    false."""

    __slots__ = ("before", "builder", "entered", "frame", "loc", "names")

    def __init__(self, builder: Builder, names: tuple):
        self.builder, self.names = builder, names
        self.loc = builder.loc
        self.frame: Frame | None = None
        self.before = self.entered = ()
        builder.guarded += 1  # until the condition has been evaluated: it is evaluated anew in every iteration

    def enter(self, values: tuple) -> tuple:
        self.before = values
        self.entered = enter_loop(values)
        return self.entered

    def test(self, value) -> bool:
        self.builder.guarded -= 1
        known = condition(value)
        if known is True:
            fail(
                RuntimeError,
                4,
                f"Infinite while loop: the condition has the Python value {value!r}, which no iteration changes",
                help='let it depend on a variable that the loop stores to: n = T.alloc_var("int32", init=0)',
            )
        if known is False:
            warn(4, "the condition of `while` is always false; the loop is skipped")
            return False
        fn.builder_while(self.builder.h, known._h)
        self.frame = Frame()
        self.builder.push(self.frame)
        return True

    def skip(self, values: tuple) -> tuple:
        return self.before

    def leave(self, values: tuple) -> tuple:
        self.builder.pop(self.frame)
        return leave_loop(self.names, self.before, self.entered, values, self.loc)

    def leave_loop(self) -> None:
        fn.builder_break(self.builder.h)

    def next_iteration(self) -> None:
        fn.builder_continue(self.builder.h)


class Scope:
    """A `with` statement: a launch, another frame of the language, or an ordinary context manager."""

    __slots__ = ("before", "builder", "loc", "manager")

    def __init__(self, builder: Builder, manager, before: tuple):
        self.builder, self.manager, self.before = builder, manager, before
        self.loc = builder.loc
        if not hasattr(type(manager), "__enter__"):
            fail(TypeError, 9, f"`with`: a {type(manager).__name__} is not a context manager")

    def __enter__(self):
        return self.manager.__enter__()

    def __exit__(self, *exc):
        return self.manager.__exit__(*exc)

    def leave(self, values: tuple) -> tuple:
        if isinstance(self.manager, KernelLaunchFrame):
            return leave_launch(self.before, values, self.loc)
        return values


def program_loop_or_python(builder: Builder, iterable, targets: tuple, names: tuple):
    """The loop object for what stands behind `in`. Raises `TypeError` (`Invalid for loop`) for values of the kernel."""
    if isinstance(iterable, LoopFrame):
        return ProgramLoop(builder, iterable, targets, names)
    if isinstance(iterable, range):
        return ProgramLoop(builder, CountedLoop("serial", iterable.start, iterable.stop, iterable.step), targets, names)
    if isinstance(iterable, (PrimExpr, Buffer, BufferRegion)) or not hasattr(iterable, "__iter__"):
        fail(
            TypeError,
            9,
            f"Invalid for loop: cannot loop over `{iterable}`, a {type(iterable).__name__}",
            help="loop over range(n), T.serial(n), T.Parallel(n) or a Python list, "
            "and index buffers with the loop variable",
        )
    return PythonLoop(builder, iterable)


def kernel_range(python_range, arguments: tuple):
    """`range(...)` at the head of a loop; another function of that name is called as it is."""
    if python_range is not range:
        return python_range(*arguments)
    need_builder("range")
    if not 1 <= len(arguments) <= 3:
        fail(TypeError, 84, f"range expects 1 to 3 arguments, got {len(arguments)}")
    start, stop, step = (*arguments, None, None)[:3]
    return CountedLoop("serial", start, stop, step)
