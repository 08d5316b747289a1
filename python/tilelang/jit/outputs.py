"""Which parameters of a kernel are outputs, and arrays for them."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Sequence
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
    """Makes arrays of one type, with the library of the first array argument and on its device.

    Where there is no such argument: PyTorch's on the current CUDA device for a kernel that runs there, else NumPy's.
    4-bit types are packed two to a byte.
    """

    __slots__ = ("_dtype", "_numpy", "_on_device", "_packed", "_torch")

    def __init__(self, dtype, on_device: bool = False):
        self._dtype = dtype
        self._on_device = on_device
        self._packed = 8 // dtype.bits if dtype.bits < 8 and dtype.bits != 6 else 1
        self._numpy = self._torch = None

    def _stored(self, shape: Sequence[int]) -> list[int]:
        if self._packed == 1:
            return list(shape)
        return [*shape[:-1], -(-shape[-1] // self._packed)]

    def like(self, first: Any, shape: Sequence[int]):
        """An array without content beside `first`, an array or None."""
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(first, torch.Tensor):
            return self._of_torch(torch, shape, first.device)
        if first is None:
            if self._on_device:
                return self._of_torch(_torch_for_outputs(), shape, "cuda")
            return self._of_torch(torch, shape, "cpu") if torch is not None else self._of_numpy(shape)
        if (make := _LIBRARIES.get(type(first).__module__.partition(".")[0])) is not None:
            return make(first, self._stored(shape), self._numpy_dtype())
        if self._on_device and not hasattr(first, "__array_struct__"):
            return self._of_torch(_torch_for_outputs(), shape, f"cuda:{int(first.__dlpack_device__()[1])}")
        return self._of_numpy(shape)

    def torch_maker(self, shape: Sequence[int]) -> Callable:
        """A function of a keyword `device` that makes such tensors of PyTorch."""
        torch = sys.modules["torch"]
        return functools.partial(torch.empty, self._stored(shape), dtype=self._dtype.as_torch())

    def _numpy_dtype(self):
        if self._numpy is None:
            self._numpy = numpy_dtype(self._dtype)
        return self._numpy

    def _of_numpy(self, shape: Sequence[int]):
        import numpy

        return numpy.empty(self._stored(shape), self._numpy_dtype())

    def _of_torch(self, torch, shape: Sequence[int], device):
        if self._torch is None:
            self._torch = self._dtype.as_torch()
        return torch.empty(self._stored(shape), dtype=self._torch, device=device)


def _torch_for_outputs():
    with contextlib.suppress(ImportError):
        import torch

        if torch.backends.cuda.is_built():
            return torch
    raise error_class(RuntimeError)(
        "no library can allocate the kernel's outputs on the device: pass an array argument of PyTorch, CuPy or "
        "JAX, or install PyTorch with CUDA"
    )


def _like_cupy(first: Any, shape: list[int], dtype):
    cupy = sys.modules["cupy"]
    with first.device:
        return cupy.empty(shape, dtype)


def _like_jax(first: Any, shape: list[int], dtype):
    jax = sys.modules["jax"]
    # Waited for: the kernel writes in place, behind the back of JAX.
    return jax.device_put(jax.numpy.empty(shape, dtype), next(iter(first.devices()))).block_until_ready()


_LIBRARIES = {"cupy": _like_cupy, "jax": _like_jax, "jaxlib": _like_jax}


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
