"""Regions of vector threads: `with T.SimtVF(threads=128)` runs its body on that many threads of the core."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.frontend.state import Builder, current, fail, need_builder
from tilelang.language.expr import IntImm, PrimExpr
from tilelang.language.options import const_int


class SimtVFFrame:
    """An open region. `thread_extents` are its extents x, y, z, `thread_vars` the coordinates of a thread in them."""

    __slots__ = ("_extents", "_latency", "_vars", "depth")
    is_symbolic = 0

    def __init__(self, extents: list[int], latency: int):
        self._extents, self._latency = extents, latency
        self._vars: list[PrimExpr] = []
        self.depth = 1

    def __enter__(self) -> SimtVFFrame:
        builder = need_builder("T.SimtVF")
        hints = {"latency": self._latency} if self._latency else {}
        fn.builder_simt_region(builder.h, self._extents, hints)
        self._vars = coordinates(builder.launch.linear_thread, self.thread_extents)
        builder.push(self)
        return self

    def __exit__(self, kind, error, traceback) -> bool:
        builder = current()
        if kind is None:
            builder.pop(self)
        elif self in builder.frames:
            builder.unwind(builder.frames.index(self))
        return False

    @property
    def thread_extents(self) -> list[int]:
        return self._extents + [1] * (3 - len(self._extents))

    @property
    def thread_vars(self) -> list[PrimExpr]:
        return list(self._vars)


def coordinates(thread: PrimExpr, extents: list[int]) -> list[PrimExpr]:
    """x, y, z of the thread with the number `thread`: thread % X, thread // X % Y, thread // (X * Y), without the steps
    that change nothing."""
    x, y, z = extents
    result, below = [], 1
    for extent in (x, y, z):
        place = thread // below if below > 1 else thread
        if extent == 1:
            place = IntImm("int32", 0)
        elif below * extent < x * y * z:
            place = place % extent
        result.append(place)
        below *= extent
    return result


def open_region(builder: Builder, what: str) -> SimtVFFrame:
    """The innermost open region. Raises `ValueError` without one."""
    for frame in reversed(builder.frames):
        if isinstance(frame, SimtVFFrame):
            return frame
    fail(
        ValueError,
        79,
        f"[TileLang Semantic Check] {what} must be inside a VF block: outside of one a core has no threads",
        help="open a region around it: `with T.SimtVF(threads=128):`",
    )


def SimtVF(threads: int | list[int] | tuple = 128, latency: int = 0) -> SimtVFFrame:
    """A region of the program that `threads` vector threads of the core run together: they see what the core did
    before, and the core goes on when all of them are done.

    `threads` is an int, or up to three extents x, y, z, 2048 in all at most; `latency` its time in cycles, for
    scheduling (0: estimated). Inside, `T.Parallel` shares points out over the threads, and `T.get_thread_binding(dim)`
    is the thread's coordinate. Raises `ValueError` for other threads and in another region.
    """
    builder = need_builder("T.SimtVF")
    if builder.launch is None:
        fail(RuntimeError, 73, "T.SimtVF needs an open `with T.Kernel(...)`", help="put it into the body of the launch")
    if not hasattr(builder.launch, "linear_thread"):
        fail(
            ValueError,
            79,
            "[TileLang Semantic Check] T.SimtVF stands in a launch that is not one of AI cores",
            help="open the launch with T.Kernel of tilelang.ascend.language",
        )
    extents = list(threads) if isinstance(threads, (list, tuple)) else [threads]
    if not extents or len(extents) > 3 or any(isinstance(e, bool) or not isinstance(e, int) for e in extents):
        fail(
            ValueError,
            70,
            f"T.SimtVF: threads must be an integer or a list of integers (at most 3), not `{threads}`",
            help="threads=128 or threads=(32, 4)",
        )
    cycles = const_int(latency, "T.SimtVF: latency")
    if cycles < 0:
        fail(
            ValueError,
            70,
            f"T.SimtVF: latency is {cycles}, but it counts cycles",
            help="leave it out to have it estimated",
        )
    return SimtVFFrame(extents, cycles)
