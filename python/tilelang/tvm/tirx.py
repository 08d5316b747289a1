"""`tvm.tirx`: the names of expressions and functions that programs use for annotations and small expressions."""

from __future__ import annotations

_NAMES = {
    "PrimFunc": ("tilelang.frontend", "PrimFunc"),
    "PrimExpr": ("tilelang.language.expr", "PrimExpr"),
    "Var": ("tilelang.language.expr", "Var"),
    "IntImm": ("tilelang.language.expr", "IntImm"),
    "FloatImm": ("tilelang.language.expr", "FloatImm"),
    "StringImm": ("tilelang.language.expr", "StringImm"),
    "Buffer": ("tilelang.language.buffer", "Buffer"),
    "BufferLoad": ("tilelang.language.buffer", "BufferLoad"),
    "BufferRegion": ("tilelang.language.buffer", "BufferRegion"),
    "Select": ("tilelang.language", "Select"),
    "Cast": ("tilelang.language", "Cast"),
    "reinterpret": ("tilelang.language", "reinterpret"),
    "Min": ("tilelang.language", "min"),
    "Max": ("tilelang.language", "max"),
}


def const(value, dtype: str = "int32"):
    """A number of the given type, as an expression."""
    from tilelang.dtypes import dtype as make_dtype

    return make_dtype(str(dtype))(value)


def __getattr__(name: str):
    if name not in _NAMES:
        raise AttributeError(f"tvm.tirx of tilelang has no attribute {name!r}")
    import importlib

    module, attribute = _NAMES[name]
    importlib.import_module("tilelang.language")
    return getattr(importlib.import_module(module), attribute)


__all__ = [*_NAMES, "const"]
