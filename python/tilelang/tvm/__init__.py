"""What programs for TileLang use of TVM's Python package. Nothing else of TVM is here.

Where no real TVM can be found, `import tvm` gives this package too.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

from tilelang.dtypes import dtype as DataType
from tilelang.errors import InternalError, TileLangError

__version__ = "0.25.dev0"

TVMError = TileLangError

_SUBMODULES = ("error", "ffi", "ir", "runtime", "target", "testing", "tirx", "transform")


def __getattr__(name: str):
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "IRModule":
        return importlib.import_module(f"{__name__}.ir").IRModule
    raise AttributeError(f"the part of TVM that comes with tilelang has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES, "IRModule"})


class _Alias:
    """Finds `tvm.<module>` as `tilelang.tvm.<module>`, so that both names are one module."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("tvm."):
            return None
        ours = "tilelang." + name
        return None if importlib.util.find_spec(ours) is None else importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        return importlib.import_module("tilelang." + spec.name)

    def exec_module(self, module) -> None:
        pass


def _stand_in() -> None:
    """Becomes `tvm` where there is no other."""
    if "tvm" in sys.modules or importlib.util.find_spec("tvm") is not None:
        return
    sys.modules["tvm"] = sys.modules[__name__]
    sys.meta_path.append(_Alias())


_stand_in()

__all__ = ["DataType", "InternalError", "TVMError"]
