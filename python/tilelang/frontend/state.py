"""The builder that is tracing a kernel on this thread, and errors that point into the kernel.

A `Builder` wraps the C++ builder `h` and keeps what only the front end needs to know: the position being traced, the
open frames, the name that the value being made will get. Traces nest (a prim_func defined while another is traced),
so builders form a stack, one a thread.
"""

from __future__ import annotations

import itertools
import sys
import threading

from tilelang._ffi import fn
from tilelang.errors import JITNoBuilderError, error_class


class Builder:
    """One trace. `frames` holds the open frames, outermost first; `launch` is the open launch, if any."""

    __slots__ = (
        "attrs",
        "eager",
        "frames",
        "guarded",
        "h",
        "hint",
        "launch",
        "launches",
        "loc",
        "macro_depth",
        "name",
        "outputs",
        "parameters",
        "places",
        "symbolic",
    )

    def __init__(self, name: str, eager=None):
        self.h = fn.builder_new(name)
        self.name = name
        self.eager = eager
        self.frames = []
        self.launch = None
        self.launches = 0
        self.parameters = []
        self.outputs = []
        self.attrs = {}
        self.hint = ""
        # Depth of expressions that may be skipped at run time; nothing may be emitted in them.
        self.guarded = 0
        self.macro_depth = 0
        # Number of open frames that are loops or branches of the program (not of Python).
        self.symbolic = 0
        self.loc = -1
        self.places: dict[int, str] = {}

    def new_loc(self, file: str, line: int, column: int, end_column: int, macro: str, caller: int) -> int:
        """The number of a position; `caller` is that of the call of `macro`, or -1."""
        loc = fn.builder_loc(self.h, file, line, column, end_column, macro, caller)
        self.places[loc] = f"{file}:{line}:{column}"
        return loc

    def finish(self, name_outputs: list[int]):
        """The C++ function; logs the warnings of the trace."""
        function = fn.builder_finish(self.h, name_outputs)
        warnings = fn.builder_diagnostics(self.h)
        if warnings:
            _log(*warnings)
        return function

    def order_parameters(self, names: list[str], made: dict) -> None:
        """Puts the parameters `names` of `made` first, in that order; the others follow as they were made."""
        first = [made[name] for name in names]
        ordered = first + [p for p in self.parameters if not any(p is f for f in first)]
        position = {id(p): i for i, p in enumerate(self.parameters)}
        fn.builder_order(self.h, [position[id(p)] for p in ordered])
        self.parameters = ordered

    def abandon(self) -> None:
        """Ends a trace whose result is not wanted."""
        fn.builder_drop(self.h)

    def at(self, loc: int, hint: str = "") -> None:
        """Everything made from here on is at position `loc`; a buffer made next is called `hint`."""
        self.loc = loc
        self.hint = hint
        fn.builder_at(self.h, loc)

    def take_name(self, fallback: str) -> str:
        return self.hint or fallback

    def push(self, frame) -> None:
        self.frames.append(frame)
        self.symbolic += frame.is_symbolic

    def pop(self, frame) -> None:
        """Closes `frame`, the innermost one."""
        assert self.frames[-1] is frame, "frames close in the order they opened"
        self.frames.pop()
        self.symbolic -= frame.is_symbolic
        for _ in range(frame.depth):
            fn.builder_end(self.h)

    def unwind(self, depth: int) -> None:
        """Drops the frames above `depth`: an exception passed through them."""
        while len(self.frames) > depth:
            frame = self.frames.pop()
            self.symbolic -= frame.is_symbolic
            if frame is self.launch:
                self.launch = None
            for _ in range(frame.depth):
                fn.builder_discard(self.h)


class _Stack(threading.local):
    def __init__(self):
        self.builders: list[Builder] = []


_stack = _Stack()


def current() -> Builder | None:
    """The builder of the innermost trace on this thread, or None."""
    builders = _stack.builders
    return builders[-1] if builders else None


def need_builder(what: str) -> Builder:
    """The current builder. Raises `JITNoBuilderError` where nothing is being traced."""
    builders = _stack.builders
    if not builders:
        raise JITNoBuilderError(
            f"{what} can only be used inside @T.prim_func or @tilelang.jit: no kernel is being traced here"
        )
    builder = builders[-1]
    if builder.guarded:
        fail(
            RuntimeError,
            12,
            f"{what} emits statements, but stands in an expression that may be skipped at run time",
            help="assign it to a name in a statement before, or use an `if` statement",
        )
    return builder


class tracing:
    """Makes `builder` the current one of this thread for the body."""

    __slots__ = ("builder",)

    def __init__(self, builder: Builder):
        self.builder = builder

    def __enter__(self) -> Builder:
        _stack.builders.append(self.builder)
        return self.builder

    def __exit__(self, kind, *exc) -> None:
        _stack.builders.pop()
        if kind is not None:
            fn.builder_drop(self.builder.h)


def users_frame():
    """The innermost Python frame outside this package, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tilelang":
        frame = frame.f_back
    return frame


def fail(kind: type, code: int, message: str, *, help: str = "", notes=(), loc: int | None = None):
    """Raises the error `code` of class `kind` at `loc`, by default the statement being traced.

    Outside a trace it points at the line that called into the package.
    """
    builder = current()
    if builder is not None:
        fn.builder_fail(builder.h, builder.loc if loc is None else loc, code, message, list(notes), help)
    frame = users_frame()
    file, line = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
    first, last = _columns(frame)
    raise error_class(kind)(fn.diagnostic_render(code, message, file, line, first, last, list(notes), help))


def _columns(frame) -> tuple[int, int]:
    """First and last column of the call that `frame` is in, from 1; zeros where Python does not know (before 3.11)."""
    if frame is None or not hasattr(frame.f_code, "co_positions"):
        return 0, 0
    span = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, last_line, first, last = span
    if line != frame.f_lineno or first is None or last is None:
        return 0, 0
    return first + 1, last + 1 if last_line == line else sys.maxsize >> 32


def warn(code: int, message: str) -> None:
    """Warns about the statement being traced; the warnings of a trace are logged at its end."""
    builder = current()
    if builder is None:
        _log(f"warning: {message}")
    else:
        fn.builder_warn(builder.h, builder.loc, code, message)


def _log(*texts) -> None:
    import logging

    for text in texts:
        logging.getLogger("tilelang").warning(str(text))
