"""Arguments of a call as the compiled library takes them.

PyTorch tensors and numbers go as they are. A NumPy array goes as two numbers: the address of the capsule that its
`__array_struct__` gives, and the code of its dtype; that takes a tenth of a microsecond, copies nothing, and works for
read-only arrays and for the types of `ml_dtypes`, which DLPack refuses. Bit i of the first number, the layout,
marks them.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Any

from tilelang._ffi import fn

# What is done with an argument, by its type.
_DIRECT, _NUMPY, _TORCH, _UNSIGNED = 0, 1, 2, 3
_NUMBERS = (bool, int, float, type(None))
_kinds: dict[type, int] = dict.fromkeys(_NUMBERS, _DIRECT)
# NumPy dtype -> the library's code for it, or its name where the language has no such type.
_codes: dict[Any, int | str] = {}
# Classes of PyTorch tensors that a call has passed before.
torch_types: set[type] = set()
_MASK_BITS = 62


def _load_numpy():
    import numpy

    _kinds[numpy.ndarray] = _NUMPY
    return numpy


def _code(dtype) -> int | str:
    """The code of a native dtype; the name of one that the language lacks (other byte orders, records, complex)."""
    from tilelang.dtypes import dtype as language_dtype

    try:
        if not dtype.isnative:
            raise ValueError
        code = int(fn.dtype_code(str(language_dtype(dtype.name))))
    except (TypeError, ValueError):
        code = dtype.str if not dtype.isnative else dtype.name
    _codes[dtype] = code
    return code


def _kind(value) -> int | None:
    """Sorts a type that is seen for the first time; None for what needs a look each time."""
    numpy = _load_numpy()
    cls = type(value)
    if isinstance(value, numpy.ndarray):
        kind = _NUMPY
    elif "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        _give_exchange(cls)
        torch_types.add(cls)
        _add_short_way(cls)
        kind = _TORCH
    elif hasattr(cls, "__dlpack__"):
        kind = _DIRECT
    else:
        return None
    _kinds[cls] = kind
    return kind


def _give_exchange(cls: type) -> None:
    """PyTorch before 2.10 has no fast way to exchange tensors; tvm_ffi brings one."""
    if not hasattr(cls, "__dlpack_c_exchange_api__"):
        from tvm_ffi import _optional_torch_c_dlpack

        _optional_torch_c_dlpack.load_torch_c_dlpack_extension()


def _add_short_way(cls: type) -> None:
    """Lets calls with tensors of PyTorch's own classes go the short way. Those of a user's may stand for anything."""
    torch = sys.modules["torch"]
    if cls in (torch.Tensor, torch.nn.Parameter):
        fn.tensor_class_add(id(cls))


def _other(value):
    """Scalars of NumPy and ctypes as numbers, NumPy's through their value; the name of the type for what is no
    argument."""
    numpy = _load_numpy()
    if isinstance(value, numpy.generic):
        found = value.item()
        return found if isinstance(found, (bool, int, float)) else _real(value)
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    if isinstance(value, (int, float)):
        return value + 0  # a subclass, as of IntEnum
    return str(value) if isinstance(value, Described) else type(value).__name__


def _real(value):
    """Floats that Python has no type for, as those of ml_dtypes; a description of everything else that has one element:
    text is no number, and a complex number no real one."""
    if getattr(value.dtype, "kind", "") in ("f", "V"):
        with contextlib.suppress(TypeError, ValueError):
            return float(value)
    return Described(f"{type(value).__name__} of dtype {value.dtype}")


_no_stream = contextlib.nullcontext()


def _torch_stream():
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return _no_stream
    from tvm_ffi import device, use_raw_stream

    stream = torch.cuda.current_stream()
    return use_raw_stream(device("cuda", stream.device_index), stream.cuda_stream)


def framework_stream(first: Any):
    """A scope in which kernels run in the current stream of CuPy where `first` is its array, and of PyTorch where there
    is no array, as in a call of addresses.

    Of arrays PyTorch's is followed by the library; JAX has none that can be asked for, and its arrays are ready when
    passed.
    """
    if first is None:
        return _torch_stream()
    if type(first).__module__.partition(".")[0] != "cupy":
        return _no_stream
    from tvm_ffi import device, use_raw_stream

    stream = sys.modules["cupy"].cuda.get_current_stream(first.device.id)
    return use_raw_stream(device("cuda", first.device.id), stream.ptr)


class Unsigned:
    """An integer above the largest int64, passed as the pair of its two's complement and None."""

    __slots__ = ("word",)

    def __init__(self, value: int):
        self.word = value - 2**64


_kinds[Unsigned] = _UNSIGNED


def scalar(value, is_float: bool):
    """An argument for a scalar parameter: arrays without dimensions count as their element, and a float is the nearest
    to an integer of any size."""
    if type(value) in (bool, float, type(None)):
        return value
    if type(value) is int:
        return _integer(value, is_float)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        try:
            found = value.item()
        except (TypeError, ValueError, RuntimeError):  # PyTorch's on `meta`, complex ones
            return Described(f"{type(value).__name__} of dtype {value.dtype}")
        return scalar(found, is_float) if isinstance(found, (bool, int, float)) else _real(value)
    return value


def _integer(value: int, is_float: bool):
    if -(2**63) <= value < 2**63:
        return value
    if 0 < value < 2**64:
        return Unsigned(value)
    if is_float:
        with contextlib.suppress(OverflowError):
            return float(value)
    return Described("int beyond 64 bits")


class Packed:
    """The words of a call: the layout, then the arguments."""

    __slots__ = ("count", "first", "layout", "owners", "words")

    def __init__(self):
        self.words: list = [0]
        self.count = self.layout = 0
        # Keeps alive what the words point to.
        self.owners: list = []
        # The first array among the arguments: it decides where outputs are made.
        self.first = None


def pack(args, packed: Packed | None = None) -> Packed:
    """Packs arguments in order, behind those already packed.

    Never raises for a wrong one: the library checks, and knows the parameters' names.
    """
    if packed is None:
        packed = Packed()
    words, layout, count = packed.words, packed.layout, packed.count
    for value in args:
        kind = _kinds.get(type(value))
        if kind is None:
            kind = _kind(value)
        if kind == _NUMPY:
            capsule = value.__array_struct__
            packed.owners.append(capsule)
            words.append(id(capsule))
            code = _codes.get(value.dtype)
            words.append(_code(value.dtype) if code is None else code)
            layout |= 1 << count
            if packed.first is None:
                packed.first = value
        elif kind == _TORCH:
            words.append(value)
            if packed.first is None:
                packed.first = value
        elif kind == _UNSIGNED:
            words += (value.word, None)
            layout |= 1 << count
        else:
            words.append(value if kind == _DIRECT else _other(value))
            if packed.first is None and kind == _DIRECT and type(value) not in _NUMBERS:
                packed.first = value
        count += 1
    packed.layout, packed.count = layout, count
    words[0] = layout if count <= _MASK_BITS else "".join("1" if layout >> i & 1 else "0" for i in range(count))
    return packed


def without_unreadable(args) -> list | None:
    """`args` with a description in place of each tensor that has no memory to pass (PyTorch's on `meta`, sparse ones);
    None where there is none."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    described = [_described(a) if isinstance(a, torch.Tensor) and _is_unreadable(torch, a) else a for a in args]
    return described if any(a is not b for a, b in zip(described, args)) else None


def _is_unreadable(torch, tensor) -> bool:
    return tensor.device.type == "meta" or tensor.layout != torch.strided


def _described(tensor) -> Described:
    return Described(f"torch.Tensor on {tensor.device.type} ({tensor.layout})")


class Described(str):
    """A description that stands for an argument: passed as the name of its type."""
