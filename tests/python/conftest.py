"""Fixtures of these tests that several files use."""

from fake_gpu import driver, library

__all__ = ["driver", "library"]
