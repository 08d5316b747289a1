"""Which parameters of a kernel are outputs, and arrays for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tilelang.errors import error_class
from tilelang.frontend.state import fail


def output_positions(out_idx: Any, params: Sequence, name: str) -> list[int]:
    """`out_idx` as a list of parameter numbers, none negative, in the order given. None is no outputs.

    Raises `ValueError` for a number out of range, a repeated one, a scalar and a tensor without dimensions;
    `TypeError` for
    what is no number.
    """
    if out_idx is None:
        return []
    items = list(out_idx) if isinstance(out_idx, (list, tuple)) else [out_idx]
    count = len(params)
    found: list[int] = []
    for item in items:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            raise error_class(TypeError)(f"{name}: out_idx holds {item!r}, which is no parameter number")
        index = item.__index__()
        if not -count <= index < count:
            fail(
                ValueError,
                108,
                f"{name}: out_idx index {index} is out of range for a function with {count} parameters",
                help=f"use {-count} to {count - 1}; the parameters are {', '.join(p.name for p in params)}",
            )
        index %= count
        if index in found:
            fail(
                ValueError,
                108,
                f"{name}: out_idx {out_idx} has duplicate tensor indices",
                help="name every output once; a negative number counts from the last parameter",
            )
        if not hasattr(params[index], "shape"):
            fail(
                ValueError,
                108,
                f"{name}: out_idx index {index} is the scalar `{params[index].name}`",
                help="only tensors are outputs",
            )
        if len(params[index].shape) == 0:
            fail(
                ValueError,
                108,
                f"{name}: output `{params[index].name}` is 0-dimensional",
                help="declare it with the shape (1,)",
            )
        found.append(index)
    return found


class OutputMaker:
    """Makes arrays of one type: those of PyTorch on the device of the first tensor argument, else NumPy's.

    4-bit types are packed two to a byte.
    """

    __slots__ = ("_dtype", "_numpy", "_packed", "_torch")

    def __init__(self, dtype):
        self._dtype = dtype
        self._packed = 8 // dtype.bits if dtype.bits < 8 and dtype.bits != 6 else 1
        self._numpy = self._torch = None

    def _stored(self, shape: Sequence[int]) -> list[int]:
        if self._packed == 1:
            return list(shape)
        return [*shape[:-1], -(-shape[-1] // self._packed)]

    def numpy(self, shape: Sequence[int]):
        import numpy

        if self._numpy is None:
            self._numpy = numpy_dtype(self._dtype)
        return numpy.empty(self._stored(shape), self._numpy)

    def torch(self, shape: Sequence[int], device):
        torch = sys.modules["torch"]
        if self._torch is None:
            self._torch = self._dtype.as_torch()
        return torch.empty(self._stored(shape), dtype=self._torch, device=device)


def numpy_dtype(dtype):
    """The NumPy dtype that holds elements of a type of the language; packed types are held as int8."""
    import numpy

    name = {"tfloat32": "float32", "int4": "int8", "uint4": "uint8", "float4_e2m1fn": "uint8"}.get(
        str(dtype), str(dtype)
    )
    name = "int8" if name == "float4_e2m1_unpacked" else name
    try:
        return numpy.dtype(name)
    except TypeError:
        import ml_dtypes

        found = getattr(ml_dtypes, name, None)
        if found is None:
            raise error_class(TypeError)(f"NumPy has no type for `{dtype}`: pass PyTorch tensors") from None
        return numpy.dtype(found)
