"""What tile operations take: a whole buffer, a region, or an element that names a first position."""

from __future__ import annotations

from tilelang.frontend.state import Builder, fail, need_builder

from .buffer import Buffer, BufferLoad, BufferRegion
from .expr import Var


def tile(value, operation: str, argument: str):
    """The handle that crosses to C++. Raises `ValueError` (`Unsupported argument type`) for anything else.

    A name bound to an element (`x = A[i, j]`, or a macro's parameter) names the position of that element.
    """
    if isinstance(value, Var) and isinstance(value.bound_value, BufferLoad):
        value = value.bound_value
    if isinstance(value, (Buffer, BufferRegion, BufferLoad)):
        return value._h
    forms = "pass a buffer, a region such as A[0:16, :], or an element such as A[i, j]"
    fail(
        ValueError,
        42,
        f"Unsupported argument type for to_buffer_region: {operation}: `{argument}` is a {type(value).__name__}",
        help=f"{forms}; T.fill(tile, value) writes one value" if isinstance(value, (int, float)) else forms,
    )


def builder_of(operation: str) -> Builder:
    """The builder of the trace. Raises `JITNoBuilderError` outside a trace, `RuntimeError` outside a launch."""
    builder = need_builder(operation)
    if builder.launch is None:
        fail(
            RuntimeError,
            73,
            f"{operation} needs an open `with T.Kernel(...)`",
            help="move it into the body of the launch",
        )
    return builder
