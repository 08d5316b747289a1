"""Tensors: parameters of a kernel, run-time dimensions, outputs, and further views of a buffer."""

from __future__ import annotations

import re

from tilelang._ffi import fn
from tilelang.dtypes import as_dtype, dtype
from tilelang.errors import JITNoBuilderError
from tilelang.frontend.state import current, fail, need_builder

from .allocate import ShapeType
from .buffer import Buffer as Array
from .buffer import as_shape, handles
from .expr import PrimExpr, Var, need_operand

DType = dtype | str


class Pointer:
    """Annotation of a raw-pointer parameter, as `T.ptr` or `T.ptr(dtype)`; `make_tensor` gives it a shape."""

    __slots__ = ("dtype", "storage_scope")

    def __init__(self, element_type, storage_scope: str):
        self.dtype = None if element_type is None else as_dtype(element_type)
        self.storage_scope = storage_scope


def ptr(dtype: DType | None = None, storage_scope: str = "global", *, is_size_var: bool = False) -> Pointer:
    """The annotation of a parameter that is a raw pointer."""
    return Pointer(dtype, storage_scope)


class BufferProxy:
    """`T.Tensor` and its kin: called or subscripted with a shape and a dtype, it makes a buffer annotation.

    `T.Tensor((m, n), dtype)`, `T.Tensor[(m, n), dtype]`, `T.Tensor[[m, n], dtype]` are one; `T.Tensor[m, n]` is a shape
    alone, of float32.
    """

    def __init__(self, scope: str):
        self._default_scope = scope

    def __call__(
        self,
        shape: ShapeType,
        dtype: DType = "float32",
        data=None,
        strides=None,
        elem_offset=None,
        scope=None,
        align=None,
        offset_factor=None,
        buffer_type="",
        axis_separators=None,
    ) -> Array:
        return self._make(shape, dtype, strides or (), scope)

    def _make(self, shape, element_type, strides, scope) -> Array:
        element_type = "int64" if element_type is ptr else element_type
        return Array("buffer", element_type, shape, strides, scope or self._default_scope)

    def __getitem__(self, keys) -> Array:
        if not isinstance(keys, tuple):
            fail(
                AssertionError,
                41,
                "a tensor annotation is subscripted with a shape and a dtype, as in T.Tensor[(m, n), dtype]",
            )
        if keys and all(isinstance(key, (int, PrimExpr)) for key in keys):
            return self(keys)
        return self(*keys)

    def from_ptr(self, pointer_var, shape, dtype: DType = "float32", strides=None) -> Array:
        """The tensor in the memory that a pointer points to: `T.make_tensor` under another name."""
        return make_tensor(pointer_var, shape, dtype, strides)


class TensorProxy(BufferProxy):
    def __call__(self, shape: ShapeType | PrimExpr | int, dtype: DType = "float32", data=None, scope=None) -> Array:
        return self._make(shape, dtype, (), scope)


class StridedTensorProxy(BufferProxy):
    def __call__(self, shape: ShapeType, strides: tuple, dtype: DType = "float32", scope=None, *, data=None) -> Array:
        return self._make(shape, dtype, as_shape(strides), scope)


class OlderBufferProxy(BufferProxy):
    """`T.Buffer`, the older name of `T.Tensor`."""

    def __call__(
        self,
        shape: ShapeType,
        dtype: DType = "float32",
        data=None,
        strides=None,
        elem_offset=None,
        scope="global",
        align=0,
        offset_factor=0,
        buffer_type="",
        axis_separators=None,
    ) -> Array:
        import warnings

        warnings.warn("T.Buffer is deprecated; use T.Tensor", DeprecationWarning, stacklevel=2)
        return self._make(shape, dtype, strides or (), scope)


Tensor = TensorProxy("global")
StridedTensor = StridedTensorProxy("global")
FragmentBuffer = BufferProxy("local.fragment")
SharedBuffer = BufferProxy("shared.dyn")
LocalBuffer = BufferProxy("local")
Buffer = OlderBufferProxy("global")


def _names(text: str) -> list[str]:
    names = [n for n in re.split(r"[,\s]+", text) if n]
    if not names or not all(n.isidentifier() for n in names):
        fail(
            ValueError,
            9,
            f"`{text}` names no variables",
            help="use names separated by commas or spaces, such as 'm, n'",
        )
    return names


def dynamic(name: str, dtype: DType = "int32") -> tuple[Var, ...] | Var:
    """A run-time dimension, known at each call; `"m, n"` or `"m n"` gives a tuple."""
    made = tuple(Var(n, dtype) for n in _names(name))
    return made[0] if len(made) == 1 else made


def symbolic(name: str, dtype: DType = "int32") -> tuple[Var, ...] | Var:
    """The older name of `T.dynamic`; a `DeprecationWarning`."""
    import warnings

    warnings.warn("T.symbolic is deprecated; use T.dynamic", DeprecationWarning, stacklevel=2)
    return dynamic(name, dtype)


def const(name: str, dtype: str = "int32"):
    """A compile-time dimension of an eager kernel, solved from the tensors given; `"M, N"` gives a tuple."""
    builder = current()
    if builder is None or builder.eager is None:
        raise JITNoBuilderError("T.const() can only be used inside @tilelang.jit (eager mode)")
    made = tuple(builder.eager.constant(n, as_dtype(dtype)) for n in _names(name))
    return made[0] if len(made) == 1 else made


def empty(*shape, dtype: DType = "float32") -> Array:
    """An output tensor, to be returned: `T.empty((m, n), dtype)` or `T.empty(m, n, dtype=dtype)`.

    Outside a trace it only records the shape.
    """
    if len(shape) == 2 and isinstance(shape[0], (tuple, list)):
        shape, dtype = shape
    elif len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    elif len(shape) > 1 and isinstance(shape[-1], str):
        *shape, dtype = shape
    builder = current()
    if builder is None:
        return Array("output", dtype, shape)
    return declare(
        builder, builder.take_name(f"output{len(builder.outputs)}"), Array("output", dtype, shape), output=True
    )


def declare(builder, name: str, annotation: Array, output: bool = False) -> Array:
    """Makes a parameter of the function being traced from a tensor annotation."""
    h = fn.builder_tensor(
        builder.h, name, str(annotation.dtype), handles(annotation.shape), handles(annotation._explicit_strides)
    )
    made = Array(name, annotation.dtype, annotation.shape, annotation._explicit_strides, "global", h)
    builder.parameters.append(made)
    if output:
        builder.outputs.append(made)
    return made


def make_tensor(
    ptr: Var | PrimExpr, shape: ShapeType, dtype: DType = "float32", strides: tuple[PrimExpr, ...] | None = None
) -> Array:
    """The tensor in global memory that begins where `ptr`, a parameter of type `T.ptr`, points to.

    `strides` are in elements; without them it is compact and row-major. What is said of it follows from the function's
    parameters. Raises `ValueError` where it depends on other values, `TypeError` for an address of another type.
    """
    return _tensor_at("T.make_tensor", ptr, shape, dtype, strides)


def make_tensor_from_addr(
    addr: PrimExpr,
    shape: ShapeType,
    dtype: DType = "float32",
    strides: tuple[PrimExpr, ...] | None = None,
    storage_scope: str = "global",
) -> Array:
    """The same for an address that is an int64."""
    if storage_scope != "global":
        fail(
            ValueError,
            74,
            f"T.make_tensor_from_addr: addresses are of global memory, not `{storage_scope}`",
            help="leave out storage_scope",
        )
    return _tensor_at("T.make_tensor_from_addr", addr, shape, dtype, strides)


def _tensor_at(what: str, address, shape, element_type, strides) -> Array:
    builder = need_builder(what)
    element_type, shape = as_dtype(element_type), as_shape(shape)
    strides = () if strides is None else as_shape(strides)
    name = builder.take_name("tensor")
    at = need_operand(address, f"{what}: the address")
    h = fn.builder_tensor_at(builder.h, name, str(element_type), handles(shape), handles(strides), at)
    return Array(name, element_type, shape, strides, "global", h)


def view(
    src: Array, shape: ShapeType | None = None, dtype: DType | None = None, strides: ShapeType | None = None
) -> Array:
    """The memory of `src` with another shape, dtype or strides; the total number of bits stays.

    Raises `AssertionError` (`T.reshape/view shape check failed`) where it does not.
    """
    builder = need_builder("T.view")
    if not isinstance(src, Array):
        fail(ValueError, 42, f"T.view: `src` is a {type(src).__name__}, not a whole buffer")
    shape = src.shape if shape is None else as_shape(shape)
    element_type = src.dtype if dtype is None else as_dtype(dtype)
    strides = () if strides is None else as_shape(strides)
    name = builder.take_name(src.name + "_view")
    h = fn.builder_view(builder.h, name, src._h, str(element_type), handles(shape), handles(strides))
    return Array(name, element_type, shape, strides, src.scope(), h)


def reshape(src: Array, shape: ShapeType) -> Array:
    """The memory of `src` with another shape of as many elements."""
    return view(src, shape)


def has_let_value(var: Var) -> bool:
    """Whether `var` is a name bound to an expression."""
    return isinstance(var, Var) and var.bound_value is not None


def get_let_value(var: Var) -> PrimExpr | None:
    """The expression that `var` is bound to, or None."""
    return var.bound_value if isinstance(var, Var) else None
