"""Compile calls that were made before: the kernel comes from memory at once, as long as nothing around has changed."""

from __future__ import annotations

import kernels
import pytest
import tilelang
from tilelang.cache import key, store
from tilelang.jit import build

pytest_plugins = ["cache_fixtures"]


@pytest.fixture
def keys(monkeypatch):
    """A list that grows whenever a call is looked at in full."""
    found: list[str] = []

    def counted(request):
        found.append(request.name)
        return key.cache_key(request)

    monkeypatch.setattr(build, "cache_key", counted)
    return found


def test_a_call_that_was_made_before_costs_no_key(cache, keys, compiles):
    function = kernels.scale(4, 4)
    options = {"target": "c", "out_idx": [1], "pass_configs": {"tl.disable_safe_memory_legalize": True}}
    first = tilelang.compile(function, **options)
    assert all(tilelang.compile(function, **options) is first for _ in range(5))
    assert len(keys) == 1 and len(compiles) == 1


def test_it_is_said_once(cache, caplog):
    function = kernels.scale(4, 4)
    for _ in range(4):
        tilelang.compile(function, target="c")
    assert caplog.text.count("Found kernel in memory cache") == 1
    assert caplog.text.count("TileLang completes to compile") == 1


@pytest.mark.parametrize(
    "options",
    [
        {"out_idx": [1]},
        {"target": "interpret"},
        {"target": {"kind": "c"}},
        {"compile_flags": ["-DX"]},
        {"pass_configs": {"tl.disable_safe_memory_legalize": True}},
        {"pass_configs": {"tl.disable_safe_memory_legalize": 1}},
    ],
    ids=str,
)
def test_other_options_are_other_kernels(cache, options):
    function = kernels.scale(4, 4)
    first = tilelang.compile(function, target="c")
    second = tilelang.compile(function, **{"target": "c", **options})
    assert second is not first
    assert tilelang.compile(function, target="c") is first
    assert tilelang.compile(function, **{"target": "c", **options}) is second


def test_options_are_looked_at_again_after_they_were_changed(cache):
    function, flags, configs = kernels.scale(4, 4), [], {}
    options = {"target": "c", "compile_flags": flags, "pass_configs": configs}
    found = [tilelang.compile(function, **options)]
    flags.append("-DX")
    found.append(tilelang.compile(function, **options))
    configs["tl.disable_safe_memory_legalize"] = True
    found.append(tilelang.compile(function, **options))
    assert len(set(map(id, found))) == 3


def test_what_is_around_counts(cache, monkeypatch):
    function = kernels.scale(4, 4)
    monkeypatch.setenv("TILELANG_TARGET", "c")
    first = tilelang.compile(function)
    with tilelang.transform.PassContext(config={"tl.disable_safe_memory_legalize": True}):
        assert tilelang.compile(function) is not first
    assert tilelang.compile(function) is first
    monkeypatch.setenv("TILELANG_TARGET", "interpret")
    assert tilelang.compile(function).target == "interpret"
    monkeypatch.setenv("TILELANG_TARGET", "c")
    assert tilelang.compile(function) is first
    with tilelang.tvm.target.Target("interpret"):
        assert tilelang.compile(function, target="auto").target != "c"
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    assert tilelang.compile(function) is not first
    monkeypatch.delenv("TILELANG_DISABLE_CACHE")
    store.clear()
    assert tilelang.compile(function) is not first


def test_another_compiler_is_another_kernel(cache, monkeypatch, tmp_path):
    function = kernels.scale(4, 4)
    first = tilelang.compile(function, target="c")
    compiler = tmp_path / "other"
    compiler.write_text('#!/bin/sh\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert tilelang.compile(function, target="c") is not first
    monkeypatch.delenv("CXX")
    assert tilelang.compile(function, target="c") is first
