"""Timing of kernels and comparison with a reference."""

from tilelang.engine.param import KernelParam
from tilelang.utils.tensor import TensorSupplyType, get_tensor_supply, is_float8_dtype, torch_assert_close

from .bench import do_bench
from .profiler import Profiler

__all__ = [
    "KernelParam",
    "Profiler",
    "TensorSupplyType",
    "do_bench",
    "get_tensor_supply",
    "is_float8_dtype",
    "torch_assert_close",
]
