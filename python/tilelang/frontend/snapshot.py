"""Names for values: what an assignment or a macro's parameter makes of an expression."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.language.buffer import BufferLoad, Ref
from tilelang.language.expr import PrimExpr, Var, _Constant, is_symbolic

from .state import Builder


def snapshot(builder: Builder, name: str, value: PrimExpr) -> PrimExpr:
    """The value that `value` has here, under the name `name`.

    Variables and constants are their own snapshot. Outside a launch an expression that reads no memory stays as it
    is, so that shape arithmetic remains arithmetic.
    """
    if isinstance(value, Ref) and value.fresh:
        value.fresh = False
        return value
    if isinstance(value, (Var, _Constant)) or not is_symbolic(value) or builder.guarded:
        return value
    if builder.launch is None and not builder.symbolic and not isinstance(value, BufferLoad):
        return value
    variable = Var._of(fn.builder_bind(builder.h, name, value._h), name)
    variable.bound_value = value
    return variable
