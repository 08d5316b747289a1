"""From a Python function to a function of the kernel language.

The source of the function becomes a syntax tree, is rewritten once for each code object (`rewrite`), and the result,
compiled under the user's file name and line numbers, runs against a builder in C++ (`activation`, `state`). Python
values are evaluated while tracing; values of the kernel are expressions and emit operations.

For the JIT:

- `trace_prim_func(function)` traces a function with annotated parameters: `@T.prim_func`.
- `EagerFunction(function)` traces the body of an eager kernel, in two phases; see `frontend.eager`.
- `is_lazy(function)` says from the source which of the two styles a `@tilelang.jit` function has.
- `captures(function)` gives the globals and closure cells that belong to the key of a memo.
- `PrimFunc` is the result: the C++ function in `.handle`, `.params`, `.output_indices`, `.attrs`, `.captured`.

The modules are loaded when they are first asked for.
"""

import importlib

_MODULES = {
    "Binding": "eager",
    "Call": "eager",
    "Captures": "captured",
    "EagerFunction": "eager",
    "Outline": "eager",
    "PrimFunc": "primfunc",
    "Shape": "eager",
    "captures": "captured",
    "fingerprint": "captured",
    "is_lazy": "eager",
    "trace_prim_func": "lazy",
}
__all__ = list(_MODULES)


def __getattr__(name: str):
    if name not in _MODULES:
        raise AttributeError(f"module 'tilelang.frontend' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tilelang.frontend.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
