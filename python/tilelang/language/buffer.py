"""Buffers, regions and elements.

`A[i, j]` of integers is an element (`BufferLoad`, a scalar expression); an index with a slice makes a region
(`BufferRegion`), which tile operations take. Constant negative positions count from the end; a step is refused.
"""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.dtypes import as_dtype, dtype
from tilelang.frontend.state import current, fail

from .expr import PrimExpr, Var, need_operand, operand

# Every scope string of the language.
SCOPES = (
    "global",
    "shared",
    "shared.dyn",
    "local",
    "local.fragment",
    "local.var",
    "local.reducer",
    "shared.barrier",
    "shared.cluster_barrier",
    "shared.tmem",
    "shared.l1",
    "shared.l0a",
    "shared.l0b",
    "shared.l0c",
)


def as_shape(shape) -> tuple:
    """A shape as a tuple of Python ints and expressions; a single extent is a shape of rank 1.

    Raises `ValueError` (`Invalid shape/strides' dimensions`) for an extent that is no integer.
    """
    if isinstance(shape, (int, PrimExpr)) or not hasattr(shape, "__iter__"):
        shape = (shape,)
    return tuple(_extent(s) for s in shape)


def _extent(extent):
    if isinstance(extent, int) and not isinstance(extent, bool):
        return extent
    if isinstance(extent, Var) and extent.dtype.is_integer():
        return extent  # without asking for its C++ variable: annotations do not load the library
    h = operand(extent)
    if h is None or isinstance(h, (bool, float)):
        fail(
            ValueError,
            25,
            f"Invalid shape/strides' dimensions: `{extent!r}` is not an integer",
            help="extents are ints or integer expressions",
        )
    return extent if isinstance(extent, PrimExpr) else h


def handles(exprs) -> list:
    return [e._h if isinstance(e, PrimExpr) else e for e in exprs]


def _not_a_value(tile, _other=None):
    """What arithmetic on a whole buffer or region says."""
    buffer = tile if isinstance(tile, Buffer) else tile.buffer
    index = ", ".join("ijklmn"[: max(1, buffer.ndim)])
    what = "buffer" if tile is buffer else "region"
    fail(
        TypeError,
        80,
        f"`{tile}` is a whole {what}, not a value",
        help=f"index it, as in {buffer.name}[{index}], inside a T.Parallel loop",
    )


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
_REFUSED = [f"__{r}{name}__" for name in _OPERATORS for r in ("", "r")] + [
    f"__{c}__" for c in ("neg", "lt", "le", "gt", "ge")
]


def refuse_arithmetic(cls: type) -> type:
    """Arithmetic and order on whole tiles are errors that say so."""
    for method in _REFUSED:
        setattr(cls, method, _not_a_value)
    return cls


@refuse_arithmetic
class Buffer:
    """An array in one memory: `name`, `dtype`, `shape`, `strides` (in elements, row-major where none were given),
    `scope()`.

    Its C++ buffer is made when a trace first needs it; until then the object is an annotation.
    """

    __slots__ = ("__weakref__", "_explicit_strides", "_h", "_name", "_scope", "dtype", "shape")

    def __init__(self, name: str, element_type, shape, strides=(), scope: str = "global", h=None):
        self._name = name
        self.dtype: dtype = as_dtype(element_type)
        self.shape = as_shape(shape)
        self._explicit_strides = as_shape(strides) if strides is not None and len(strides) else ()
        self._scope = scope
        if self._explicit_strides and len(self._explicit_strides) != len(self.shape):
            fail(
                ValueError,
                25,
                f"Invalid shape/strides' dimensions: shape has {len(self.shape)} dimensions, strides have "
                f"{len(self._explicit_strides)}",
                help="give one stride a dimension, in elements",
            )
        if h is not None:
            self._h = h

    def __getattr__(self, attribute: str):
        if attribute == "_h":  # reached only while the slot is empty
            self._h = fn.buffer_new(
                self._name, str(self.dtype), handles(self.shape), handles(self._explicit_strides), self._scope, -1
            )
            return self._h
        raise AttributeError(f"buffer {self._name} has no attribute `{attribute}`")

    @property
    def name(self) -> str:
        return self._name

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def strides(self) -> tuple:
        if self._explicit_strides:
            return self._explicit_strides
        strides, step = [], 1
        for extent in reversed(self.shape):
            strides.append(step)
            step = extent * step
        return tuple(reversed(strides))

    def scope(self) -> str:
        return self._scope

    def is_scalar(self) -> bool:
        return not self.shape

    def __getitem__(self, indices):
        indices = indices if isinstance(indices, tuple) else (indices,)
        if any(isinstance(i, slice) for i in indices):
            return BufferRegion(self, *region_bounds(self, indices))
        return BufferLoad(self, indices)

    def __setitem__(self, indices, value):
        fail(
            TypeError,
            9,
            f"`{self._name}` is stored to in a plain Python function, which is not part of the kernel",
            help="make the function a T.macro",
        )

    def vload(self, begin, dtype=None):
        return BufferLoad(self, tuple(begin) if hasattr(begin, "__iter__") else (begin,))

    def __len__(self):
        fail(TypeError, 9, f"len() of the buffer `{self._name}`", help=f"use {self._name}.shape[0]")

    def __iter__(self):
        fail(
            TypeError,
            9,
            f"Invalid for loop: the buffer `{self._name}` is not a sequence",
            help=f"loop over range({self._name}.shape[0]) or T.Parallel({self._name}.shape[0])",
        )

    def __bool__(self) -> bool:
        fail(
            TypeError,
            3,
            f"the buffer `{self._name}` cannot be used as condition directly",
            help="compare an element of it, or test `is None`",
        )

    def __repr__(self) -> str:
        return self._name


def check_rank(buffer: Buffer, indices: tuple) -> None:
    if len(indices) != len(buffer.shape):
        fn.expr_load(buffer._h, [0] * len(indices))  # refused there: the library knows where the buffer is declared


def region_bounds(buffer: Buffer, indices: tuple) -> tuple[list, list]:
    """Offsets and extents of `buffer[indices]`, one a dimension; an index is an extent of 1."""
    check_rank(buffer, indices)
    offsets, extents = [], []
    for index, size in zip(indices, buffer.shape, strict=True):
        if not isinstance(index, slice):
            offsets.append(_from_end(index, size))
            extents.append(1)
            continue
        if index.step is not None and not (isinstance(index.step, int) and index.step == 1):
            fail(
                RuntimeError,
                23,
                f"Buffer slicing with step is not supported: {buffer.name}[::{index.step}]",
                help="copy element by element in a T.Parallel loop",
            )
        start = 0 if index.start is None else _from_end(index.start, size)
        stop = size if index.stop is None else _from_end(index.stop, size)
        offsets.append(start)
        extents.append(stop if isinstance(start, int) and start == 0 else stop - start)
    return offsets, extents


def _from_end(position, size):
    return size + position if isinstance(position, int) and position < 0 else position


@refuse_arithmetic
class BufferRegion:
    """A box of a buffer: `offsets[i]` up to `offsets[i] + extents[i]`."""

    __slots__ = ("_h", "buffer", "extents", "offsets")

    def __init__(self, buffer: Buffer, offsets, extents):
        self.buffer, self.offsets, self.extents = buffer, list(offsets), list(extents)
        self._h = fn.region_new(buffer._h, [_position(o) for o in offsets], [_position(e) for e in extents])

    @property
    def dtype(self) -> dtype:
        return self.buffer.dtype

    @property
    def region(self) -> list[tuple]:
        """Pairs of first position and extent."""
        return list(zip(self.offsets, self.extents, strict=True))

    @property
    def shape(self) -> tuple:
        return tuple(self.extents)

    def __getitem__(self, indices):
        """Indices are relative to the region; it keeps the buffer's rank."""
        indices = indices if isinstance(indices, tuple) else (indices,)
        inner = Buffer(self.buffer.name, self.buffer.dtype, self.extents, (), self.buffer.scope())
        if any(isinstance(i, slice) for i in indices):
            offsets, extents = region_bounds(inner, indices)
            return BufferRegion(self.buffer, [a + b for a, b in zip(self.offsets, offsets, strict=True)], extents)
        check_rank(inner, indices)
        moved = [a + _from_end(b, e) for a, b, e in zip(self.offsets, indices, self.extents, strict=True)]
        return BufferLoad(self.buffer, tuple(moved))

    def __setitem__(self, indices, value):
        self.buffer[indices] = value

    def __bool__(self) -> bool:
        return bool(self.buffer)

    def __repr__(self) -> str:
        bounds = ", ".join(f"{o}:{o + e}" for o, e in self.region)
        return f"{self.buffer.name}[{bounds}]"


def _position(value):
    return need_operand(value, "a position in a buffer")


class BufferLoad(PrimExpr):
    """One element of a buffer. As an operand of a tile operation it names the first element of the other side's
    extents."""

    __slots__ = ("buffer", "indices")

    def __init__(self, buffer: Buffer, indices, predicate=None, span=None):
        self.buffer, self.indices = buffer, tuple(indices)
        self._h = fn.expr_load(buffer._h, [_position(i) for i in self.indices])

    @property
    def dtype(self) -> dtype:
        return self.buffer.dtype

    def __setitem__(self, indices, value):
        fail(TypeError, 24, f"`{self}` is one value and has no elements to store to")


class Ref(BufferLoad):
    """An element that a name stands for: assigning to the name stores to it. `T.alloc_var` and `T.Ref` arguments are
    such."""

    __slots__ = ("fresh",)

    def __init__(self, bufload: BufferLoad):
        self.buffer, self.indices, self._h = bufload.buffer, bufload.indices, bufload._h
        # Set while no name stands for it yet: the first assignment gives the name instead of storing.
        self.fresh = False

    def load(self) -> PrimExpr:
        return BufferLoad(self.buffer, self.indices)

    def store(self, value) -> None:
        store(self.buffer, self.indices, value)


def store(buffer: Buffer, indices: tuple, value) -> None:
    """Emits `buffer[indices] = value`, with the value converted to the buffer's dtype."""
    if isinstance(value, (Buffer, BufferRegion)):
        fail(
            TypeError,
            24,
            f"Incompatible types in BufferStore: `{value}` is no single value, `{buffer.name}[...]` is one",
            help="copy tiles with T.copy(src, dst)",
        )
    if any(isinstance(i, slice) for i in indices):
        fail(
            TypeError,
            24,
            f"Incompatible types in BufferStore: `{buffer.name}[{_shown(indices)}]` is a region, `{value}` one value",
            help="use T.fill(region, value), or store element by element in a T.Parallel loop",
        )
    fn.builder_store(
        current().h,
        buffer._h,
        [_position(i) for i in indices],
        need_operand(value, f"Incompatible types in BufferStore to `{buffer.name}`"),
    )


def _shown(indices: tuple) -> str:
    def one(i):
        if not isinstance(i, slice):
            return str(i)
        return ":".join("" if bound is None else str(bound) for bound in (i.start, i.stop))

    return ", ".join(map(one, indices))
