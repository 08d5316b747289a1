"""Loops of a kernel. Each function describes a loop; the `for` statement that iterates over it opens and closes it."""

from __future__ import annotations

from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import Builder, fail, need_builder, warn

from .expr import PrimExpr, Var, need_operand
from .options import as_hints, const_int, older_keywords


class LoopFrame:
    """A described loop. `open` emits its head and returns what the `for` target takes, `depth` frames deep."""

    __slots__ = ("depth", "used")
    is_symbolic = 1

    def __init__(self):
        need_builder("a loop")
        self.depth = 1
        self.used = False

    def open(self, builder: Builder, names: list[str]):
        raise NotImplementedError

    def __iter__(self):
        fail(
            TypeError,
            9,
            "a loop of the kernel language is iterated over in a plain Python function",
            help="make the function a T.macro",
        )


_STEP = "use a positive step to count up, a negative one to count down"


class CountedLoop(LoopFrame):
    """`for var in range(begin, end, step)` of one of the loop kinds of the IR."""

    __slots__ = ("begin", "end", "hints", "kind", "options", "step")

    def __init__(self, kind: str, start, stop, step=None, *, hints=None, **options):
        super().__init__()
        begin, end = (0, start) if stop is None else (start, stop)
        self.kind = kind
        self.begin, self.end = bound(begin, "loop start"), bound(end, "loop end")
        self.step = 1 if step is None else bound(step, "loop step")
        if isinstance(self.step, int) and self.step == 0:
            fail(ValueError, 65, "step must be non-zero", help=_STEP)
        if isinstance(step, PrimExpr) and not isinstance(getattr(step, "value", None), int):
            warn(65, f"Non-constant step `{step}`: a step of zero at run time is an error")
        self.hints = hints or {}
        self.options = options

    def open(self, builder: Builder, names: list[str]):
        name = names[0] if len(names) == 1 else "i"
        options = {**self.options, "hints": self.hints}
        return Var._of(fn.builder_for(builder.h, name, self.begin, self.end, self.step, self.kind, options), name)


class ParallelLoop(LoopFrame):
    __slots__ = ("extents", "hints", "shift")

    def __init__(self, extents, hints, shift=None):
        super().__init__()
        if not extents:
            fail(
                IndexError,
                68,
                "T.Parallel needs at least one extent",
                help="give one extent a loop variable: `for i, j in T.Parallel(M, N):`",
            )
        self.extents = [bound(e, "extent of T.Parallel") for e in extents]
        self.hints = hints
        self.shift = shift

    def open(self, builder: Builder, names: list[str]):
        names = loop_names(names, len(self.extents))
        handles = fn.builder_parallel(builder.h, names, self.extents, self.hints)
        loop_vars = [Var._of(h, name) for h, name in zip(handles, names, strict=True)]
        if self.shift is not None:
            return loop_vars[0] + self.shift
        return loop_vars[0] if len(loop_vars) == 1 else tuple(loop_vars)


class GridLoop(LoopFrame):
    """Nested serial loops, the last extent innermost."""

    __slots__ = ("extents",)

    def __init__(self, extents):
        super().__init__()
        self.extents = [bound(e, "extent of T.grid") for e in extents]
        self.depth = len(self.extents)

    def open(self, builder: Builder, names: list[str]):
        names = loop_names(names, len(self.extents))
        loop_vars = [
            Var._of(fn.builder_for(builder.h, name, 0, extent, 1, "serial", {}), name)
            for name, extent in zip(names, self.extents, strict=True)
        ]
        return loop_vars[0] if len(loop_vars) == 1 else tuple(loop_vars)


def loop_names(names: list[str], count: int) -> list[str]:
    """The target's names where their number fits, else i, j, k, ..."""
    return names if len(names) == count else [("ijkl"[n] if n < 4 else f"i{n}") for n in range(count)]


def bound(value, what: str):
    """A loop bound or extent as it crosses to C++; floats are refused."""
    h = need_operand(value, what)
    if isinstance(h, float) or (isinstance(value, PrimExpr) and value.dtype.is_floating()):
        fail(TypeError, 66, f"{what} is `{value}`, a float", help="use integers; T.ceildiv(n, m) rounds up")
    return int(h) if isinstance(h, bool) else h


def serial(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    annotations: dict[str, Any] | None = None,
):
    """A loop in order, like Python's `range`: `start` up to `stop` (excluded) by `step`; one argument is the end."""
    return CountedLoop("serial", start, stop, step, hints=as_hints(annotations))


def Serial(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    annotations: dict[str, Any] | None = None,
):
    """`T.serial`."""
    return serial(start, stop, step, annotations=annotations)


def unroll(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    explicit: bool = False,
    unroll_factor: int | None = None,
    annotations: dict[str, Any] | None = None,
):
    """A serial loop whose body is repeated. `explicit` repeats it in the program itself, with ints as indices.

    Raises `ValueError` for `explicit` with a factor, or with bounds that are not constants.
    """
    if explicit:
        if unroll_factor is not None:
            fail(
                ValueError,
                19,
                "T.unroll: explicit=True unrolls everything, so unroll_factor cannot be given too",
                help="leave out one of the two",
            )
        need_builder("T.unroll")
        begin, end = (0, start) if stop is None else (start, stop)
        numbers = [
            const_int(v, f"{what} of T.unroll(explicit=True)")
            for v, what in ((begin, "the start"), (end, "the end"), (1 if step is None else step, "the step"))
        ]
        if numbers[2] == 0:
            fail(ValueError, 65, "step must be non-zero", help=_STEP)
        return list(range(*numbers))
    return CountedLoop("unrolled", start, stop, step, hints=as_hints(annotations, unroll_factor=unroll_factor))


def Unroll(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    explicit: bool = False,
    unroll_factor: int | None = None,
    annotations: dict[str, Any] | None = None,
):
    """`T.unroll`."""
    return unroll(start, stop, step, explicit=explicit, unroll_factor=unroll_factor, annotations=annotations)


def vectorized(start: PrimExpr, stop: PrimExpr | None = None, *, annotations: dict[str, Any] | None = None):
    """A loop whose iterations run as lanes of vector instructions, with the result of the serial loop."""
    return CountedLoop("vectorized", start, stop, hints=as_hints(annotations))


def Vectorized(start: PrimExpr, stop: PrimExpr | None = None, *, annotations: dict[str, Any] | None = None):
    """`T.vectorized`."""
    return vectorized(start, stop, annotations=annotations)


def Parallel(
    *extents: int | PrimExpr,
    coalesced_width: int | None = None,
    loop_layout: Any | None = None,
    prefer_async: bool | None = None,
    annotations: dict[str, Any] | None = None,
):
    """A nest over the box `extents`, shared by the threads of the block, its points in any order.

    Two points must not write one element. Raises `IndexError` without extents.
    """
    if loop_layout is not None:
        fail(
            RuntimeError,
            90,
            "T.Parallel: loop_layout is not available in this version",
            help="leave it out; the compiler chooses",
        )
    hints = as_hints(annotations, coalesced_width=coalesced_width, parallel_prefer_async=prefer_async)
    return ParallelLoop(extents, hints)


@older_keywords(sync="the compiler inserts synchronisation", group="use order= and stage=")
def Pipelined(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    num_stages: int = 0,
    order: list[int] | None = None,
    stage: list[int] | None = None,
    annotations: dict[str, Any] | None = None,
):
    """A loop whose iterations may overlap, with the result of the serial loop.

    `num_stages` buffers are in flight (0 or less: no overlap); `order` and `stage` schedule by hand, one entry a
    statement.
    """
    stages = const_int(num_stages, "T.Pipelined: num_stages", 69, TypeError)
    return CountedLoop(
        "pipelined",
        start,
        stop,
        hints=as_hints(annotations),
        stages=max(0, stages),
        order=[int(o) for o in order or ()],
        stage=[int(s) for s in stage or ()],
    )


def grid(*extents: PrimExpr):
    """Nested serial loops from 0, the last extent innermost."""
    return GridLoop(extents)


def parallel(start: PrimExpr, stop: PrimExpr = None, *, annotations: dict[str, Any] = None):
    """A one-dimensional `T.Parallel` from `start` to `stop`."""
    if stop is None:
        return ParallelLoop((start,), as_hints(annotations))
    return ParallelLoop((stop - start,), as_hints(annotations), shift=start)


def loop_break():
    """Leaves the innermost loop of the kernel, as the statement `break` does."""
    fn.builder_break(need_builder("T.loop_break").h)
