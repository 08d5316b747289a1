"""What tests of the cache do with it."""

from __future__ import annotations

from pathlib import Path

import kernels
import numpy as np
import tilelang
from tilelang.cache import store


def forget() -> None:
    """A new process would have an empty memory."""
    store.memory.clear()


def compile_and_check(m=4, n=4, **options):
    kernel = tilelang.compile(kernels.scale(m, n), out_idx=[1], **options)
    assert np.array_equal(kernel(np.ones((m, n), np.float32)), np.full((m, n), 2))
    return kernel


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.is_dir() else []
