"""`T.prim_func`: a Python function becomes a function of the kernel language."""

from __future__ import annotations

from collections.abc import Callable

from tilelang.frontend.primfunc import PrimFunc

__all__ = ["PrimFunc", "prim_func"]


def prim_func(func: Callable | None = None, *, eager_jit: bool = False):
    """Traces `func` now and returns its `PrimFunc`. Each parameter is annotated: a tensor, or a dtype for a scalar.

    With `eager_jit` the function is the body of an eager kernel and is traced when the arguments are known.
    Raises `TypeError` for parameters without annotation, `OSError` where the source cannot be read.
    """
    if func is None:
        return lambda function: prim_func(function, eager_jit=eager_jit)
    # Loaded here: importing the language alone does not load the tracer.
    if eager_jit:
        from tilelang.frontend.eager import EagerFunction

        return EagerFunction(func)
    from tilelang.frontend.lazy import trace_prim_func

    return trace_prim_func(func)
