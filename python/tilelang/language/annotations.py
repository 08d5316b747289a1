"""What the user tells the compiler about a kernel."""

from __future__ import annotations

from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import fail, need_builder

from .buffer import Buffer, BufferLoad
from .expr import PrimExpr, need_operand, operand
from .options import const_int
from .tile import builder_of

_ORDERS = ("row", "column", "mlx")


def use_swizzle(panel_size: int, order: str = "row", enable: bool = True):
    """Visits the grid in panels of `panel_size` rows or columns, for cache reuse; every program still runs once."""
    builder = builder_of("T.use_swizzle")
    if order not in _ORDERS:
        fail(ValueError, 75, f"Unsupported swizzle order `{order}`", help='use "row", "column" or "mlx"')
    fn.builder_swizzle(builder.h, const_int(panel_size, "T.use_swizzle: panel_size"), order, bool(enable))


def assume(cond=None):
    """Promises that `cond` holds from here on: the compiler may rely on it, the checker tests it."""
    fn.builder_assume(need_builder("T.assume").h, need_operand(cond, "T.assume"))


def likely(cond, span=None):
    """`cond`, expected to hold."""
    need_operand(cond, "T.likely")
    return cond


def annotate_compile_flags(flags: list[str] | str) -> None:
    """Adds flags to the source compiler's command line for this function; flags given to the compile call win."""
    builder = need_builder("T.annotate_compile_flags")
    known = builder.attrs.setdefault("compile_flags", [])
    known.extend(flags.split() if isinstance(flags, str) else [str(f) for f in flags])


def annotate_pass_configs(configs: dict[str, Any]) -> None:
    """Sets pass configuration for this function; the configuration given to the compile call wins."""
    builder = need_builder("T.annotate_pass_configs")
    if not isinstance(configs, dict):
        fail(TypeError, 9, f"T.annotate_pass_configs takes a dict, not a {type(configs).__name__}")
    builder.attrs.setdefault("pass_configs", {}).update({str(getattr(k, "value", k)): v for k, v in configs.items()})


def func_attr(attrs: dict[str, Any]) -> None:
    """Sets attributes of the function; `global_symbol` names its kernels."""
    builder = need_builder("T.func_attr")
    for key, value in attrs.items():
        builder.attrs[key] = value
        if isinstance(value, (bool, int, float, str)):
            fn.builder_attr(builder.h, key, value)


def evaluate(value: PrimExpr) -> None:
    """Evaluates a call for its effect."""
    fn.builder_evaluate(need_builder("T.evaluate").h, need_operand(value, "T.evaluate"))


def _extern_argument(value):
    h = fn.expr_str(value) if isinstance(value, str) else operand(value)
    if h is None and isinstance(value, Buffer):
        h = BufferLoad(value, (0,) * value.ndim)._h
    return h if h is not None else need_operand(value, "argument of an extern call")


def call_extern(dtype, func_name, *args, span=None):
    """Calls the function `func_name` of the prelude; it may read and write anything its arguments reach."""
    return PrimExpr(fn.expr_extern(str(dtype), func_name, [_extern_argument(a) for a in args]))


def call_pure_extern(dtype, func_name, *args, span=None):
    """Calls the function `func_name` of the prelude; equal arguments give equal results and nothing else happens."""
    return PrimExpr(fn.expr_pure_extern(str(dtype), func_name, [_extern_argument(a) for a in args]))


def index_to_coordinates(index, shape) -> list[PrimExpr]:
    """Coordinates, outermost first, of element `index` of a row-major array."""
    coordinates = []
    for extent in reversed(shape):
        coordinates.append(index % extent)
        index = index // extent
    return coordinates[::-1]
