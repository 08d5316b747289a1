"""The kernel language, imported as `import tilelang.language as T`."""

# ruff: noqa: F401  (the names imported here are the language)

from __future__ import annotations

from typing import Any

from tilelang import dtypes as _dtypes
from tilelang.dtypes import (
    dtype,
    get_tvm_dtype,
    is_f8f6f4_family,
    is_float4,
    is_float4_e2m1_unpacked,
    is_float4_e2m1fn,
)

from . import later as _later
from . import math as _math
from .allocate import alloc_fragment, alloc_global, alloc_local, alloc_shared, alloc_var
from .annotations import (
    annotate_compile_flags,
    annotate_pass_configs,
    assume,
    call_extern,
    call_pure_extern,
    evaluate,
    func_attr,
    index_to_coordinates,
    likely,
    use_swizzle,
)
from .buffer import BufferLoad, BufferRegion, Ref
from .copy import copy
from .expr import FloatImm, IntImm, PrimExpr, StringImm, Var
from .fill import clear, fill
from .gemm import GemmWarpPolicy, gemm, gemm_v1, gemm_v2
from .kernel import (
    Kernel,
    KernelLaunchFrame,
    get_block_binding,
    get_block_bindings,
    get_block_extent,
    get_block_extents,
    get_thread_binding,
    get_thread_bindings,
    get_thread_extent,
    get_thread_extents,
    sync_grid,
    sync_threads,
)
from .loop import (
    Parallel,
    Pipelined,
    Serial,
    Unroll,
    Vectorized,
    grid,
    loop_break,
    parallel,
    serial,
    unroll,
    vectorized,
)
from .macro import Macro, inline, macro, meta_class
from .prim_func import PrimFunc, prim_func
from .print_assert import device_assert, print
from .reduce import (
    cummax,
    cumsum,
    reduce,
    reduce_absmax,
    reduce_abssum,
    reduce_bitand,
    reduce_bitor,
    reduce_bitxor,
    reduce_max,
    reduce_min,
    reduce_sum,
)
from .tensor import (
    Buffer,
    FragmentBuffer,
    LocalBuffer,
    SharedBuffer,
    StridedTensor,
    Tensor,
    const,
    dynamic,
    empty,
    get_let_value,
    has_let_value,
    make_tensor,
    make_tensor_from_addr,
    ptr,
    reshape,
    symbolic,
    view,
)

__tilelang_dialect__ = "cuda"

_made = {**_dtypes.named_dtypes(), **{name: getattr(_math, name) for name in _math.NAMES}}
globals().update(_made)

# Submodules are reached by import; they are not part of the language.
_modules = {
    "allocate",
    "annotations",
    "buffer",
    "expr",
    "kernel",
    "later",
    "loop",
    "math",
    "options",
    "print_assert",
    "tensor",
    "tile",
}
__all__ = sorted({name for name in globals() if not name.startswith("_")} - _modules | {"JITFunc", "__ffs"})


def __getattr__(name: str):
    if name == "JITFunc":
        from tilelang.frontend.eager import EagerFunction

        return EagerFunction
    raise AttributeError(_later.explain(name))
