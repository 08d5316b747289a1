"""Prints and assertions of a kernel."""

from __future__ import annotations

from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import fail, need_builder

from .buffer import Buffer, BufferRegion
from .expr import PrimExpr, need_operand, operand


def print(obj: Any = None, msg: str = "", warp_group_id: int = 0, warp_id: int = 0) -> None:
    """Prints a message, the value of an expression, or the elements of a buffer or region, where the kernel runs.

    Shared and fragment tiles are printed once a block, by the given warp; the rest by every thread. Raises `ValueError`
    (`Unexpected type`) for other objects, `AssertionError` (`msg must not be empty`) for nothing at all.
    """
    builder = need_builder("T.print")
    values, region = [], None
    if isinstance(obj, (Buffer, BufferRegion)):
        region = obj._h
        msg = msg or f"buffer<{obj}, {obj.dtype}>"
    elif obj is not None:
        h = operand(obj) if not isinstance(obj, str) else None
        if h is None:
            fail(
                ValueError,
                42,
                f"Unexpected type {type(obj).__name__} in T.print",
                help="print a buffer, a region, an expression, or msg= alone",
            )
        values = [h]
        msg = msg or f"expr<{obj}>"
    elif not msg:
        fail(
            AssertionError,
            18,
            "T.print: msg must not be empty where no object is given",
            help='print something: T.print(A[i]) or T.print(msg="reached")',
        )
    fn.builder_print(builder.h, msg, values, region)


def device_assert(cond: PrimExpr, msg: str = "", no_stack_info: bool = False) -> None:
    """Stops the program where `cond` is false, with `msg` and the position of this statement.

    The position is the operation's own; `no_stack_info` is accepted for programs that ask for a message without it.
    """
    fn.builder_assert(need_builder("T.device_assert").h, need_operand(cond, "T.device_assert"), str(msg))
