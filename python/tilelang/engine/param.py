"""Parameters of a kernel as programs see them, and what `lower` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilelang.dtypes import dtype

__all__ = ["CompiledArtifact", "KernelParam"]


@dataclass
class KernelParam:
    """A parameter: its element type, and its extents (ints, or expressions where they are symbolic); none for a
    scalar."""

    dtype: dtype
    shape: list

    @classmethod
    def from_buffer(cls, buffer) -> KernelParam:
        return cls(dtype(str(buffer.dtype)), [_plain_extent(extent) for extent in buffer.shape])

    @classmethod
    def from_var(cls, var) -> KernelParam:
        return cls(dtype(str(var.dtype)), [])

    @classmethod
    def of(cls, param) -> KernelParam:
        """From a parameter of a traced function: a buffer or a variable."""
        return cls.from_buffer(param) if hasattr(param, "shape") else cls.from_var(param)

    def is_scalar(self) -> bool:
        return len(self.shape) == 0

    def is_unsigned(self) -> bool:
        return str(self.dtype).startswith("uint")

    def is_float8(self) -> bool:
        return str(self.dtype).startswith("float8")

    def is_float4(self) -> bool:
        return str(self.dtype).startswith("float4")

    def is_boolean(self) -> bool:
        return str(self.dtype) == "bool"

    def tilelang_dtype(self) -> dtype:
        return self.dtype

    def torch_dtype(self):
        """The PyTorch dtype in which such tensors are held."""
        return self.dtype.as_torch()


def _plain_extent(extent) -> Any:
    try:
        return int(extent)
    except (TypeError, ValueError):
        return extent


@dataclass
class CompiledArtifact:
    """What lowering has made. `rt_mod` is the loaded kernel where the source was compiled too, else None."""

    host_mod: Any
    device_mod: Any
    params: list[KernelParam]
    kernel_source: str
    rt_mod: Any = None
    target: Any = None
    target_host: Any = None
