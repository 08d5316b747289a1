"""The older path of `tilelang.engine.KernelParam`."""

from tilelang.engine.param import KernelParam

__all__ = ["KernelParam"]
