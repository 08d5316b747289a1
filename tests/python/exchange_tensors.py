"""A class of tensors with DLPack's exchange functions, as PyTorch's class has them, for a GPU that is not there."""

from __future__ import annotations

import ctypes
import functools

from fake_gpu import DLTensor, OnGpu
from tilelang._ffi import fn


class _Managed(ctypes.Structure):
    """`DLManagedTensorVersioned`."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


class _Exchange(ctypes.Structure):
    """`DLPackExchangeAPI`."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("managed_from_object", ctypes.c_void_p),
        ("managed_to_object", ctypes.c_void_p),
        ("tensor_from_object", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    )


class Exchanged(OnGpu):
    """Counts how it is read."""

    short = long = 0
    # How many of the next calls of a function give an error.
    unreadable = streamless = 0

    def fill(self, tensor: DLTensor) -> None:
        for name, _ in DLTensor._fields_:
            setattr(tensor, name, getattr(self.managed.tensor, name))

    @staticmethod
    def stream(device: int) -> int:
        return 0x60 + device


def _read_short(value, tensor) -> int:
    if Exchanged.unreadable:
        Exchanged.unreadable -= 1
        return -1
    Exchanged.short += 1
    value.fill(tensor[0])
    return 0


_managed: list = []


def _read_long(value, out) -> int:
    Exchanged.long += 1
    made = _Managed(1, 1)
    value.fill(made.tensor)
    _managed.append(made)
    out[0] = ctypes.addressof(made)
    return 0


def _stream(device_type: int, device: int, out) -> int:
    if Exchanged.streamless:
        Exchanged.streamless -= 1
        return -1
    assert device_type == 2
    out[0] = Exchanged.stream(device)
    return 0


_POINTER = ctypes.POINTER(ctypes.c_void_p)
_functions = (
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, _POINTER)(_read_long),
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))(_read_short),
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, _POINTER)(_stream),
)


def exchange(**changed) -> object:
    """A capsule with the functions; `changed` are fields with other values."""
    addresses = [ctypes.cast(function, ctypes.c_void_p) for function in _functions]
    table = _Exchange(1, 1, None, None, addresses[0], None, *addresses[1:])
    for name, value in changed.items():
        setattr(table, name, value)
    _managed.append(table)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(table), b"dlpack_exchange_api", None)


Exchanged.__dlpack_c_exchange_api__ = exchange()
# The functions of the class, which the library reads at every call.
TABLE = _managed[0]


@functools.cache
def open_short_way() -> None:
    """Opens the short way to the class, as to PyTorch's."""
    fn.tensor_class_add(id(Exchanged))
