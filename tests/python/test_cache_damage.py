"""The cache on disk survives whatever happens to its folder: the kernel is compiled again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from cache_folder import compile_and_check, entries, forget
from tilelang.cache import store
from tilelang.env import env

pytest_plugins = ["cache_fixtures"]


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
