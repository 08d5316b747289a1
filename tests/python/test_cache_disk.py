"""The cache on disk: its files, what it keys by, how it is turned off."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time

import kernels
import numpy as np
import pytest
import tilelang
from cache_folder import compile_and_check, entries, forget
from tilelang.cache import KernelCache, store
from tilelang.env import env

pytest_plugins = ["cache_fixtures"]


def test_an_entry_has_readable_files(cache):
    compile_and_check()
    (entry,) = entries(cache)
    assert len(entry.name) == 64
    version = tilelang.__version__.replace("+", "_")
    assert entry.relative_to(env.TILELANG_CACHE_DIR).parts[:1] == (version,) and "+" not in str(entry)
    names = {path.name for path in entry.iterdir()}
    assert {"device_kernel.cpp", "kernel_lib.so", "manifest.json", "params.json"} <= names
    manifest = json.loads((entry / "manifest.json").read_text())
    assert manifest["version"] == 1 and set(manifest["files"]) == names - {"manifest.json"}
    for name, row in manifest["files"].items():
        content = (entry / name).read_bytes()
        assert row == {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    assert json.loads((entry / "params.json").read_text())["params"][0]["name"] == "A"
    assert not list(store.platform_folder().glob(".staging/*"))


def test_another_process_finds_it(cache, compiles):
    first = compile_and_check()
    forget()
    second = compile_and_check()
    assert compiles == ["k"] and second is not first
    assert second.kernel_source == first.kernel_source and second.get_host_source() == first.get_host_source()


@pytest.mark.parametrize(
    "options",
    [
        {"pass_configs": {"tl.disable_safe_memory_legalize": True}},
        {"compile_flags": "-DX"},
        {"target": "interpret"},
        {"target": "llvm"},
        {"execution_backend": "cython"},
    ],
)
def test_options_belong_to_the_key(cache, compiles, options):
    compile_and_check()
    compile_and_check(**options)
    assert len(compiles) == 2 and len(entries(cache)) == 2


def test_outputs_and_program_belong_to_the_key(cache, compiles):
    compile_and_check()
    tilelang.compile(kernels.scale(4, 4))
    compile_and_check(4, 5)
    assert len(entries(cache)) == 3 and len(compiles) == 3


def test_toolchain_processor_and_library_belong_to_the_key(cache, compiles, monkeypatch):
    from tilelang.cache import key

    compile_and_check()
    for name, value in (("_processor", lambda: "another"), ("_library_stamp", lambda by_content: "another")):
        forget()
        with monkeypatch.context() as patch:
            patch.setattr(key, name, value)
            compile_and_check()
    assert len(entries(cache)) == 3
    forget()
    wrapper = cache.parent / "g++"
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/env g++ "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("CXX", str(wrapper))
    compile_and_check()
    assert len(entries(cache)) == 4 and len(compiles) == 4


ASSERTING = """
import tilelang
import tilelang.language as T
{blank}
@T.prim_func
def k(A: T.Tensor((4,), "int32")):
    with T.Kernel(1, threads=1):
        T.device_assert(A[0] < 5, "too large")
        A[1] = 1
"""

LAUNCHING = """
import tilelang
import tilelang.language as T
{blank}
@T.prim_func
def k(A: T.Tensor((4,), "int32")):
    with T.Kernel(2**31, 2**31, 2**31, threads=1):
        A[1] = 1
"""


@pytest.mark.parametrize(("program", "at"), [(ASSERTING, "device_assert"), (LAUNCHING, "T.Kernel")])
def test_positions_do_not_belong_to_the_key_but_are_right(cache, compiles, tmp_path, program: str, at: str):
    lines = []
    for blank in ("", "\n\n# a comment\n\n"):
        path = tmp_path / f"program{len(blank)}.py"
        path.write_text(program.format(blank=blank))
        space = {"__name__": path.stem}
        exec(compile(path.read_text(), str(path), "exec"), space)
        kernel = tilelang.compile(space["k"])
        with pytest.raises(RuntimeError) as found:
            kernel(np.full(4, 9, np.int32))
        text = path.read_text().splitlines()
        lines.append(next(i for i, line in enumerate(text, 1) if at in line))
        assert f"{path}:{lines[-1]}" in str(found.value)
    assert compiles == ["k"] and lines[0] != lines[1], "the second is the first at other lines"


def test_stale_staging_folders_are_removed(cache):
    compile_and_check()
    staging = store.platform_folder() / ".staging"
    old, new = staging / "old_1_x", staging / "new_1_x"
    for folder in (old, new):
        folder.mkdir()
        (folder / "kernel_lib.so").write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    compile_and_check(4, 5)
    assert not old.exists() and new.exists()


def test_entries_can_be_moved(cache, tmp_path, monkeypatch, compiles):
    compile_and_check()
    shutil.copytree(env.TILELANG_CACHE_DIR, tmp_path / "elsewhere")
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "elsewhere"))
    forget()
    compile_and_check()
    assert len(compiles) == 1


def test_the_cache_can_be_turned_off(cache, compiles, monkeypatch):
    tilelang.disable_cache()
    try:
        assert not tilelang.is_cache_enabled()
        assert compile_and_check() is not compile_and_check()
    finally:
        tilelang.enable_cache()
    assert tilelang.is_cache_enabled() and not entries(cache) and len(compiles) == 2
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    tilelang.enable_cache()
    assert not tilelang.is_cache_enabled()
    compile_and_check()
    assert not entries(cache)


def test_cache_objects(cache, compiles):
    assert KernelCache() is KernelCache()
    kernel = tilelang.cache.cached(kernels.scale(4, 4), [1], target="c")
    assert tilelang.cache.cached(kernels.scale(4, 4), [1], target="c") is kernel
    assert tilelang.cache.cached(kernels.scale(4, 4), [1], "extra", target="c") is not kernel
    KernelCache().clear_cache()
    assert not entries(cache) and not store.memory
    compile_and_check()
    assert len(compiles) == 3


def test_library_stamp_by_content(cache, compiles, monkeypatch):
    compile_and_check()
    monkeypatch.setenv("TILELANG_KERNEL_CACHE_USE_LIB_STAMP", "1")
    forget()
    compile_and_check()
    assert len(compiles) == 2
