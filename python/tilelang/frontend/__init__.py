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
"""

# The language loads the modules of this package in their order.
import tilelang.language  # noqa: F401

from .captures import Captures, captures, fingerprint
from .eager import Binding, Call, EagerFunction, Outline, Shape, is_lazy
from .lazy import trace_prim_func
from .primfunc import PrimFunc

__all__ = [
    "Binding",
    "Call",
    "Captures",
    "EagerFunction",
    "Outline",
    "PrimFunc",
    "Shape",
    "captures",
    "fingerprint",
    "is_lazy",
    "trace_prim_func",
]
