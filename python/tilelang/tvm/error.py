"""`tvm.error`: the classes that programs catch."""

from tilelang.errors import InternalError, TileLangError

TVMError = TileLangError

__all__ = ["InternalError", "TVMError"]
