"""Fixtures of the tests of the cache."""

from __future__ import annotations

import pytest
from cache_folder import forget
from tilelang.cache import store


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own; gives the folder of the kernels."""
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))
    forget()
    yield store.kernels_folder()
    forget()


@pytest.fixture
def compiles(monkeypatch):
    """A list that grows by one name for each kernel that is compiled."""
    from tilelang.jit import build

    names: list[str] = []
    original = build.build

    def counted(request):
        names.append(request.name)
        return original(request)

    monkeypatch.setattr(build, "build", counted)
    return names
