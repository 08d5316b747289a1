"""Buffers that a kernel allocates."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.dtypes import as_dtype, dtype
from tilelang.frontend.state import fail, need_builder

from .buffer import SCOPES, Buffer, BufferLoad, Ref, as_shape, handles
from .expr import PrimExpr, need_operand

ShapeType = list | tuple | int


def allocate_tile(what: str, shape, element_type, scope: str, fallback: str, hints: dict | None = None) -> Buffer:
    """The buffer of an allocation `what` in memory `scope`; one without a name is called `fallback`."""
    builder = need_builder(what)
    if scope not in SCOPES:
        fail(ValueError, 74, f"{what}: unknown scope `{scope}`", help="use one of " + ", ".join(SCOPES))
    element_type, shape = as_dtype(element_type), as_shape(shape)
    for extent in shape:
        if isinstance(extent, int) and extent < 0:
            fail(ValueError, 27, f"{what}: extent {extent} is negative", help="extents are 0 or more")
    name = builder.take_name(fallback)
    h = fn.builder_alloc(builder.h, name, str(element_type), handles(shape), scope, None, hints or {})
    return Buffer(name, element_type, shape, (), scope, h)


def alloc_shared(shape: ShapeType, dtype, scope="shared.dyn") -> Buffer:
    """A tile in the memory that the threads of a block share; its elements are undefined at first."""
    static_bool = scope == "shared.dyn" and as_dtype(dtype) == "bool"
    return allocate_tile("T.alloc_shared", shape, dtype, "shared" if static_bool else scope, "shared")


def alloc_local(shape: ShapeType, dtype, scope="local") -> Buffer:
    """An array of each thread of its own; not indexable by a `T.Parallel` index."""
    return allocate_tile("T.alloc_local", shape, dtype, scope, "local")


def alloc_fragment(shape: ShapeType, dtype, scope="local.fragment") -> Buffer:
    """A tile spread over the registers of the block's threads."""
    return allocate_tile("T.alloc_fragment", shape, dtype, scope, "fragment")


def alloc_global(shape: ShapeType, dtype, scope="global") -> Buffer:
    """A workspace in global memory, made for each run of the function."""
    return allocate_tile("T.alloc_global", shape, dtype, scope, "workspace")


def alloc_var(dtype, *args, scope: str = "local.var", init: PrimExpr | int | float | None = None) -> Ref:
    """A mutable scalar of each thread: assigning to its name stores, using the name reads.

    `alloc_var(dtype)`, `alloc_var(dtype, init)`, `alloc_var(dtype, "scope")`, `alloc_var(dtype, init, "scope")`. A
    constant `init` is converted (2.7 is 2 for int32). Raises `TypeError` for an init given twice or a scope that is
    no string.
    """
    init, scope = _var_arguments(args, scope, init)
    builder = need_builder("T.alloc_var")
    element_type = _element_type(dtype)
    value = None if init is None else need_operand(init, "T.alloc_var: init")
    if isinstance(value, float) and not element_type.is_floating():
        value = int(value)
    name = builder.take_name("var")
    h = fn.builder_alloc(builder.h, name, str(element_type), [1], scope, value, {})
    ref = Ref(BufferLoad(Buffer(name, element_type, (1,), (), scope, h), (0,)))
    ref.fresh = True
    return ref


def _element_type(given) -> dtype:
    # A pointer is held as its address.
    from .tensor import ptr

    return dtype("int64") if given is ptr else as_dtype(given)


def _var_arguments(args: tuple, scope, init):
    """(init, scope) from the positional and keyword forms."""
    if len(args) > 2:
        fail(TypeError, 84, f"T.alloc_var takes dtype, init and scope, not {1 + len(args)} arguments")
    if len(args) == 2 or (len(args) == 1 and not isinstance(args[0], str)):
        if init is not None:
            fail(TypeError, 84, "T.alloc_var: init is given twice, by position and by keyword")
        init = args[0]
    if args and isinstance(args[-1], str):
        scope = args[-1]
    elif len(args) == 2:
        fail(TypeError, 84, f"T.alloc_var: the scope is a {type(args[1]).__name__}, not a string")
    if not isinstance(scope, str) or scope not in SCOPES:
        fail(TypeError, 84, f"T.alloc_var: `{scope}` is not a scope", help="local.var")
    return init, scope
