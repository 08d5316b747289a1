"""Conveniences for programs that use the package."""

from .deprecation import build_date, deprecated
from .tensor import TensorSupplyType, torch_assert_close

__all__ = ["TensorSupplyType", "array_reduce", "build_date", "deprecated", "torch_assert_close"]


def array_reduce(array: list[int]) -> int:
    """The product of the numbers; 1 for none."""
    product = 1
    for number in array:
        product *= number
    return product
