"""Programs of the Ascend 950 in the simulator against what they mean."""

from __future__ import annotations

import numpy as np
import tilelang

RANDOM = np.random.default_rng(950)


def numbers(*shape: int, dtype=np.float32) -> np.ndarray:
    """Small integers, whose sums and products are exact in every dtype."""
    return RANDOM.integers(-4, 5, shape).astype(dtype)


def halves(*shape: int) -> np.ndarray:
    return numbers(*shape, dtype=np.float16)


def agrees(program, *arguments) -> str:
    """Runs the program on its meaning and in the simulator; both leave the same in all arrays. Returns its source."""
    results = []
    for target in ("interpret", "ascend"):
        own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        kernel = tilelang.compile(program, target=target)
        kernel(*own)
        results.append([a for a in own if isinstance(a, np.ndarray)])
    for n, (expected, found) in enumerate(zip(*results)):
        assert np.array_equal(expected, found), f"array {n}: {found}, but it means {expected}"
    return kernel.get_kernel_source()
