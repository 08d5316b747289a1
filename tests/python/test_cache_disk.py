"""The cache on disk: what it keys by, that it survives whatever happens to its folder, and many processes at once."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import kernels
import numpy as np
import pytest
import tilelang
from tilelang.cache import KernelCache, store
from tilelang.env import env


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own; gives the folder of the kernels."""
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))
    forget()
    yield store.kernels_folder()
    forget()


def forget() -> None:
    """A new process would have an empty memory."""
    store.memory.clear()


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


def compile_and_check(m=4, n=4, **options):
    kernel = tilelang.compile(kernels.scale(m, n), out_idx=[1], **options)
    assert np.array_equal(kernel(np.ones((m, n), np.float32)), np.full((m, n), 2))
    return kernel


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.is_dir() else []


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


def test_positions_do_not_belong_to_the_key_but_are_right(cache, compiles, tmp_path):
    lines = []
    for blank in ("", "\n\n# a comment\n\n"):
        path = tmp_path / f"program{len(blank)}.py"
        path.write_text(ASSERTING.format(blank=blank))
        space = {"__name__": path.stem}
        exec(compile(path.read_text(), str(path), "exec"), space)
        kernel = tilelang.compile(space["k"])
        with pytest.raises(RuntimeError) as found:
            kernel(np.full(4, 9, np.int32))
        text = path.read_text().splitlines()
        lines.append(next(i for i, line in enumerate(text, 1) if "device_assert" in line))
        assert f"{path}:{lines[-1]}" in str(found.value)
    assert compiles == ["k"] and lines[0] != lines[1], "the second is the first at other lines"


# --- damage ---


def damage_truncate(entry: Path):
    path = entry / "kernel_lib.so"
    path.write_bytes(path.read_bytes()[:100])


def damage_flip(entry: Path):
    path = entry / "kernel_lib.so"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def damage_missing(entry: Path):
    (entry / "params.json").unlink()


def damage_no_manifest(entry: Path):
    (entry / "manifest.json").unlink()


def damage_manifest(entry: Path):
    (entry / "manifest.json").write_text("{")


def damage_manifest_kind(entry: Path):
    (entry / "manifest.json").write_text('["version"]')


def damage_manifest_files(entry: Path):
    (entry / "manifest.json").write_text('{"version": 1, "files": {"../../secret": {"size": 0, "sha256": ""}}}')


def damage_manifest_nesting(entry: Path):
    (entry / "manifest.json").write_text("[" * 200000)


def damage_old_format(entry: Path):
    shutil.rmtree(entry)
    entry.mkdir()
    (entry / "params.pkl").write_bytes(b"\x80\x04K\x01.")


def damage_foreign_library(entry: Path):
    """A manifest that fits, of a library that cannot be loaded."""
    content = b"\x7fELF" + bytes(200)
    (entry / "kernel_lib.so").write_bytes(content)
    manifest = json.loads((entry / "manifest.json").read_text())
    manifest["files"]["kernel_lib.so"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    (entry / "manifest.json").write_text(json.dumps(manifest))


def damage_file(entry: Path):
    shutil.rmtree(entry)
    entry.write_text("a file where a folder belongs")


def damage_dangling_link(entry: Path):
    shutil.rmtree(entry)
    entry.symlink_to("nowhere")


def damage_others_may_write_folder(entry: Path):
    entry.chmod(0o777)


def damage_others_may_write_file(entry: Path):
    (entry / "kernel_lib.so").chmod(0o666)


def damage_links(entry: Path):
    library = entry / "kernel_lib.so"
    elsewhere = entry.parent.parent / "moved.so"
    library.rename(elsewhere)
    library.symlink_to(elsewhere)


def damage_pipe(entry: Path):
    (entry / "kernel_lib.so").unlink()
    os.mkfifo(entry / "kernel_lib.so")


DAMAGES = {name.removeprefix("damage_"): f for name, f in list(globals().items()) if name.startswith("damage_")}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entries_are_compiled_again(cache, compiles, damage):
    compile_and_check()
    (entry,) = entries(cache)
    DAMAGES[damage](entry)
    forget()
    compile_and_check()
    assert len(compiles) == 2
    forget()
    compile_and_check()
    assert len(compiles) == 2, "the bad entry has been replaced"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", [".", "kernel_lib.so", "manifest.json"])
def test_entries_of_other_users_are_refused(cache, compiles, name):
    compile_and_check()
    (entry,) = entries(cache)
    os.chown(entry / name, 12345, 12345)
    forget()
    compile_and_check()
    assert len(compiles) == 2


def test_a_running_kernel_survives_damage_to_its_entry(cache):
    kernel = compile_and_check()
    forget()
    loaded = compile_and_check()
    (entry,) = entries(cache)
    for path in entry.iterdir():
        path.write_bytes(b"")
    shutil.rmtree(entry)
    for k in (kernel, loaded):
        assert (k(np.ones((4, 4), np.float32)) == 2).all()


@pytest.mark.parametrize("root", ["/proc/no/such", "/dev/null/x"])
def test_a_cache_that_cannot_be_made(monkeypatch, root, compiles):
    monkeypatch.setenv("TILELANG_CACHE_DIR", root)
    for _ in range(2):
        forget()
        compile_and_check()
    forget()
    assert len(compiles) == 2


def test_a_full_disk(cache, compiles, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(store, "_write", full)
        compile_and_check()
    assert not entries(cache) and not list(store.platform_folder().glob(".staging/*"))
    forget()
    compile_and_check()
    assert len(compiles) == 2 and len(entries(cache)) == 1


def test_a_folder_that_vanishes(cache, compiles, monkeypatch):
    original = store._write_entry

    def vanishing(folder, files, request):
        original(folder, files, request)
        shutil.rmtree(env.TILELANG_CACHE_DIR)

    with monkeypatch.context() as patch:
        patch.setattr(store, "_write_entry", vanishing)
        compile_and_check()
    forget()
    compile_and_check()
    assert len(compiles) == 2 and len(entries(cache)) == 1


def run_python(code: str, cache_dir, **options) -> subprocess.Popen:
    environment = {**os.environ, "TILELANG_CACHE_DIR": str(cache_dir), "TILELANG_PRINT_ON_COMPILATION": "0"}
    path = Path(cache_dir).parent / f"program_{abs(hash(code))}.py"
    path.write_text(textwrap.dedent(code))
    here = str(Path(__file__).parent)
    environment["PYTHONPATH"] = os.pathsep.join([here, environment.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


PROGRAM = """
import kernels, numpy as np, tilelang
kernel = tilelang.compile(kernels.scale(4, 4), out_idx=[1])
assert (kernel(np.ones((4, 4), np.float32)) == 2).all()
print("right")
"""


def test_a_read_only_cache(cache, tmp_path):
    """As a user who may read but not write."""
    if os.getuid() != 0:
        pytest.skip("needs a second user")
    compile_and_check()
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    child = run_python(PROGRAM, Path(env.TILELANG_CACHE_DIR))
    out, error = child.communicate(timeout=120)
    assert out == "right\n", error


CROWD = """
import os, sys
import kernels, numpy as np, tilelang
from tilelang._ffi import fn
from tilelang.cache import store

fn.thread_count()  # the library is loaded once, before the processes part
read, write = os.pipe()
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)  # all start together, when the pipe closes
        for n in (4, 5):
            kernel = tilelang.compile(kernels.scale(4, n), out_idx=[1])
            if not (kernel(np.ones((4, n), np.float32)) == 2).all():
                os._exit(1)
        os._exit(0)
    children.append(child)
os.close(write)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""


def test_twenty_processes_at_once(tmp_path):
    child = run_python(CROWD, tmp_path / "cache")
    out, error = child.communicate(timeout=300)
    assert out == f"{[0] * 20}\n", error
    assert len(list((tmp_path / "cache").glob("*/*/kernels/*"))) == 2
    assert not list((tmp_path / "cache").glob("*/*/.staging/*"))


KILLED = """
import os, signal
import kernels, numpy as np, tilelang
from tilelang.cache import store

original = store._write
def write(path, content):
    if path.name == {name!r}:
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    original(path, content)

store._write = write
tilelang.compile(kernels.scale(4, 4), out_idx=[1])
"""


@pytest.mark.parametrize("name", ["kernel_lib.so", "manifest.json"])
def test_a_process_killed_while_publishing(tmp_path, name):
    folder = tmp_path / "cache"
    child = run_python(KILLED.format(name=name), folder)
    child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL
    assert not list(folder.glob("*/*/kernels/*")) and len(list(folder.glob("*/*/.staging/*"))) == 1
    child = run_python(PROGRAM, folder)
    out, error = child.communicate(timeout=120)
    assert out == "right\n", error
    assert len(list(folder.glob("*/*/kernels/*"))) == 1


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


# --- switches ---


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
