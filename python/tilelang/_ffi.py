"""The door to the C++ library.

`fn.expr_binary` is the global function `tl.expr_binary` of `libtilelang.so`. The library and `tvm_ffi` are loaded at
the first attribute access, not at import: importing `tilelang` costs neither. Errors of the compiler come out as the
classes of `tilelang.errors`.
"""

from __future__ import annotations

import sys
import threading

from .errors import InternalError, TileLangError, error_class, rendered_code
from .libinfo import find_library


class _WithoutTorch:
    """In its `with` block, imports of PyTorch by this thread fail as if it were not installed."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("PyTorch is left out here", name=name)

    def __enter__(self):
        self._thread = threading.get_ident()
        sys.meta_path.insert(0, self)

    def __exit__(self, *_error):
        sys.meta_path.remove(self)


def _load_tvm_ffi():
    # tvm_ffi imports torch where it is installed: seconds, wasted on programs that use NumPy. It needs nothing of
    # it: tensors
    # of PyTorch bring their own way to be exchanged, which those before 2.10 are given when the first one is seen.
    if "tvm_ffi" in sys.modules or "torch" in sys.modules:
        import tvm_ffi
    else:
        with _WithoutTorch():
            import tvm_ffi
    return tvm_ffi


def translated(error: Exception) -> Exception:
    """The exception of ours that says the same as `error`, which came out of the library."""
    text = str(error.args[0]) if error.args else str(error)
    if isinstance(error, TileLangError):
        return error
    code = rendered_code(text)
    if code is not None:
        # The table of codes names the built-in class; tvm_ffi itself knows only some of them.
        return error_class(str(fn.diagnostic_class(code)))(text)
    if text.startswith("internal error") or "\nreproducer: " in text:
        return InternalError(text)
    return error


def _checked(function):
    def call(*args):
        try:
            return function(*args)
        except Exception as error:
            ours = translated(error)
            if ours is error:
                raise
        raise ours  # outside the handler: the FFI's exception is not part of the user's traceback

    return call


class _Functions:
    """Attribute access gives the function `tl.<name>`; it stays as an attribute of the instance."""

    def __init__(self):
        self.__dict__["_module"] = None

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__dict__["_module"] is None:
            self.__dict__["_module"] = _load_tvm_ffi().load_module(str(find_library()))
        import tvm_ffi

        function = tvm_ffi.get_global_func("tl." + name, allow_missing=True)
        if function is None:
            raise InternalError(f"internal error: the library has no function tl.{name}; rebuild it with ./dev build")
        checked = _checked(function)
        self.__dict__[name] = checked
        return checked


fn = _Functions()
