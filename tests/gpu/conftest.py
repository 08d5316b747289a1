"""Tests on a CUDA device; without one all are skipped. Run them with `python -m pytest tests/gpu`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tilelang.backend import cuda

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(reason="needs a CUDA device and PyTorch with CUDA")
    here = Path(__file__).parent
    if not _usable():
        for item in items:
            if here in item.path.parents:
                item.add_marker(skip)


def _usable() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available() and bool(cuda.devices())


@pytest.fixture(autouse=True)
def cuda_target(monkeypatch):
    """`"auto"` is CUDA here, and the examples can be imported."""
    monkeypatch.setenv("TILELANG_TARGET", "cuda")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    yield
    for name in ("placement", "quickstart", "rmsnorm", "softmax", "transpose", "vector_add"):
        sys.modules.pop(name, None)
