"""`tvm.runtime`: which devices this build can run on."""

from __future__ import annotations

__all__ = ["enabled"]


def enabled(target: str) -> bool:
    """Whether kernels for the target can run here."""
    return target in ("c", "llvm", "cpu", "host", "interpret")
