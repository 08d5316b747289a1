"""Integer arithmetic of the host."""

from __future__ import annotations

__all__ = ["cdiv", "next_power_of_2"]


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below `x`; 1 for 0 and negative numbers."""
    return 1 << (int(x) - 1).bit_length() if x > 1 else 1


def cdiv(a: int, b: int) -> int:
    """`a / b` rounded up. Raises `ZeroDivisionError` for `b == 0`."""
    return -(-a // b)
