"""Tensors for benchmarks and tests: how they are filled, and how two are compared. Needs PyTorch where it is called."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

__all__ = [
    "TensorSupplyType",
    "fp8_remove_negative_zeros_",
    "get_tensor_supply",
    "is_float8_dtype",
    "torch_assert_close",
]


class TensorSupplyType(Enum):
    """How `get_tensor_supply` fills: `Auto` chooses by the dtype."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


def is_float8_dtype(dtype: Any) -> bool:
    """Whether a PyTorch dtype is an 8-bit float."""
    return str(dtype).startswith("torch.float8")


def fp8_remove_negative_zeros_(tensor: Any) -> None:
    """Makes every -0.0 of an 8-bit float tensor 0.0, in place: comparisons by bits then work."""
    import torch

    bits = tensor.view(torch.uint8)
    bits.masked_fill_(bits == 0x80, 0)


def get_tensor_supply(supply_type: TensorSupplyType = TensorSupplyType.Integer) -> Callable:
    """A function of a `KernelParam` (and a device: "cpu" where none is given) that makes a tensor for it.

    `Auto`: 0 to 2 for unsigned, -2 to 2 for other integers, 0 or 1 for bool, uniform in (-1, 1) for floats. Raises
    `ValueError` for a parameter with a symbolic extent.
    """

    def supply(param, device: Any = "cpu"):
        if param.is_scalar():
            raise ValueError(f"no tensor can be made for the scalar of type {param.dtype}: pass inputs of your own")
        shape = []
        for extent in param.shape:
            if not isinstance(extent, int):
                raise ValueError(
                    f"TensorType must have a static shape, but got {param.shape}: pass dynamic_symbolic_constraints"
                )
            shape.append(extent)
        return _fill(supply_type, param, shape, device)

    return supply


def _integer(torch, param, shape: list[int], device):
    dtype = param.torch_dtype()
    if param.is_boolean():
        return torch.randint(0, 2, shape, device=device, dtype=torch.bool)
    if param.is_float4():
        packed = [*shape[:-1], -(-shape[-1] // 2)] if str(param.dtype) == "float4_e2m1fn" else shape
        return torch.randint(0, 16, packed, device=device, dtype=torch.uint8).view(dtype)
    if param.is_float8():
        return torch.randint(-128, 128, shape, device=device, dtype=torch.int8).to(torch.float16).to(dtype)
    low, high = (0, 3) if param.is_unsigned() else (-2, 3)
    return torch.randint(low, high, shape, device=device, dtype=torch.int32).to(dtype)


def _fill(kind: TensorSupplyType, param, shape: list[int], device):
    import torch

    dtype = param.torch_dtype()
    real = param.dtype.is_floating() and not param.is_float8() and not param.is_float4()
    if kind is TensorSupplyType.Zero:
        return torch.zeros(shape, device=device, dtype=torch.float32).to(dtype)
    if kind is TensorSupplyType.One:
        return torch.ones(shape, device=device, dtype=torch.float32).to(dtype)
    if kind is TensorSupplyType.Integer or not real:
        return _integer(torch, param, shape, device)
    if kind in (TensorSupplyType.Normal, TensorSupplyType.Randn):
        return torch.randn(shape, device=device, dtype=torch.float32).to(dtype)
    return torch.empty(shape, device=device, dtype=torch.float32).uniform_(-1, 1).to(dtype)


def torch_assert_close(
    tensor_a: Any,
    tensor_b: Any,
    rtol: float = 1e-2,
    atol: float = 1e-3,
    max_mismatched_ratio: float = 1e-3,
    verbose: bool = False,
    equal_nan: bool = True,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    base_name: str = "LHS",
    ref_name: str = "RHS",
) -> bool:
    """Raises `AssertionError` unless |a - b| <= atol + rtol * |b| for all but a share of the elements; else True."""
    import torch

    for name, wanted in (("device", check_device), ("dtype", check_dtype), ("layout", check_layout)):
        left, right = getattr(tensor_a, name), getattr(tensor_b, name)
        if wanted and left != right:
            raise AssertionError(f"{name} of {base_name} is {left}, of {ref_name} {right}")
    if tensor_a.shape != tensor_b.shape:
        raise AssertionError(f"shape of {base_name} is {tuple(tensor_a.shape)}, of {ref_name} {tuple(tensor_b.shape)}")
    if check_stride and tensor_a.stride() != tensor_b.stride():
        raise AssertionError(f"strides of {base_name} are {tensor_a.stride()}, of {ref_name} {tensor_b.stride()}")
    a, b = tensor_a.to(torch.float64), tensor_b.to(torch.float64).to(tensor_a.device)
    wrong = ~torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    count, total = int(wrong.sum()), max(1, wrong.numel())
    if verbose:
        print(f"{count} of {total} elements differ ({count / total:.2%}; allowed {max_mismatched_ratio:.2%})")
    if count > int(max_mismatched_ratio * total):
        worst = torch.nan_to_num((a - b).abs(), nan=float("inf")).flatten().argmax()
        place = tuple(int(i) for i in torch.unravel_index(worst, a.shape)) if a.ndim else ()
        raise AssertionError(
            f"Too many mismatched elements: {count} > {int(max_mismatched_ratio * total)} "
            f"({max_mismatched_ratio:.2%} allowed, but get {count / total:.2%})\n"
            f"greatest difference at {place}: {base_name} {float(a.flatten()[worst])}, "
            f"{ref_name} {float(b.flatten()[worst])}\n{base_name}: {tensor_a}\n{ref_name}: {tensor_b}"
        )
    return True
