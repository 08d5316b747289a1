"""Kernels on disk, and those in the memory of this process.

An entry is a folder `<cache>/<version>/<system>-<machine>/kernels/<key>` with the files of an artifact and
`manifest.json`, which has the SHA-256 and the size of each. It is made under `.staging` and renamed, so that other
processes see all of it or nothing. Whatever is wrong with an entry, the kernel is compiled again: nothing that is or
happens on disk is an error. An entry that others may have written is not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import time
import uuid
from pathlib import Path

from tilelang._ffi import fn
from tilelang._version import __version__
from tilelang.env import env
from tilelang.errors import InternalError
from tilelang.logger import logger

MANIFEST = "manifest.json"
_MANIFEST_VERSION = 1
_STALE_SECONDS = 3600
_POSITIONS = "positions"
# What reading an entry may raise: there is none, it may not be read, or its manifest is not one of ours.
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, RecursionError)

# Kernels by their keys and the lines that they come from.
memory: dict = {}


def platform_folder() -> Path:
    """Where everything for this version on this kind of machine lies."""
    version = __version__.replace("+", "_")
    return Path(env.TILELANG_CACHE_DIR) / version / f"{sys.platform}-{platform.machine()}"


def kernels_folder() -> Path:
    return platform_folder() / "kernels"


def load(key: str, request):
    """The artifact of an entry, for the lines where the request's function stands; None where there is no good one."""
    folder = kernels_folder() / key
    try:
        files, manifest = _read_entry(folder)
    except _UNREADABLE as error:
        if os.path.lexists(folder):
            _discard(folder, error)
        return None
    try:
        artifact = fn.artifact_load(files)
    except InternalError as error:
        _discard(folder, error)
        return None
    if manifest.get(_POSITIONS) != request.positions:
        artifact = fn.artifact_relocate(artifact, request.handle)
    return artifact


def _read_entry(folder: Path) -> tuple[dict[str, bytes], dict]:
    """The files that the manifest names, checked against it. Raises OSError or ValueError."""
    with _open_trusted(folder) as directory:
        manifest = json.loads(directory.read(MANIFEST))
        if not isinstance(manifest, dict) or manifest.get("version") != _MANIFEST_VERSION:
            raise ValueError("a manifest of another version")
        files = {}
        for name, expected in dict(manifest["files"]).items():
            if os.path.basename(name) != name:
                raise ValueError(f"no file name: {name!r}")
            content = directory.read(name)
            if len(content) != expected["size"] or hashlib.sha256(content).hexdigest() != expected["sha256"]:
                raise ValueError(f"{name} is not what the manifest says")
            files[name] = content
    return files, manifest


class _open_trusted:
    """A folder opened once, so that all files come from one entry even if it is replaced meanwhile.

    Raises PermissionError for a folder or file whose owner is neither this user nor root, or that others can write.
    """

    def __init__(self, folder: Path):
        self._folder = folder

    def __enter__(self) -> _open_trusted:
        self._fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _check_owner(os.fstat(self._fd), self._folder)
        except BaseException:
            os.close(self._fd)
            raise
        return self

    def __exit__(self, *_error) -> None:
        os.close(self._fd)

    def read(self, name: str) -> bytes:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._fd)
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise ValueError(f"{name} is no file")
            _check_owner(found, self._folder / name)
            return file.read()


def _check_owner(found: os.stat_result, path: Path) -> None:
    if found.st_uid not in (os.getuid(), 0):
        raise PermissionError(f"{path} belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path} can be written by others")


def discard(key: str, reason: Exception) -> None:
    """Removes the entry of `key`, which turned out to be of no use."""
    _discard(kernels_folder() / key, reason)


def _discard(folder: Path, reason: Exception) -> None:
    """Removes a bad entry, as far as that is possible."""
    logger.debug("Ignoring the cache entry %s: %s", folder, reason)
    _remove(folder)


def _remove(folder: Path) -> None:
    try:
        # Renamed first, so that nobody sees half of it.
        doomed = _staging_folder() / f"{folder.name}_{os.getpid()}_{uuid.uuid4().hex[:8]}"
        doomed.parent.mkdir(parents=True, exist_ok=True)
        os.rename(folder, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    except OSError:
        pass


def _staging_folder() -> Path:
    return platform_folder() / ".staging"


def publish(key: str, artifact, request, replace: bool = False) -> None:
    """Stores an artifact as the entry of `key`, which stays as it is where there is a good one, unless `replace`. Where
    that fails, nothing is stored and nothing is said but to debuggers."""
    staging = _staging_folder()
    staged = staging / f"{key}_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    try:
        kernels_folder().mkdir(parents=True, exist_ok=True)
        staging.mkdir(parents=True, exist_ok=True)
        _remove_stale(staging)
        staged.mkdir(mode=0o755)
        os.chmod(staged, 0o755)  # whatever the umask
        _write_entry(staged, {str(k): bytes(v) for k, v in fn.artifact_files(artifact).items()}, request)
        folder = kernels_folder() / key
        if replace and folder.exists():
            _remove(folder)
        _rename(staged, folder)
    except OSError as error:
        logger.debug("The kernel %s is not kept on disk: %s", request.name, error)
        shutil.rmtree(staged, ignore_errors=True)


def _write_entry(folder: Path, files: dict[str, bytes], request) -> None:
    listed = {}
    for name, content in files.items():
        _write(folder / name, content)
        listed[name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    manifest = {
        "version": _MANIFEST_VERSION,
        "kernel": request.name,
        "target": request.compiler_target,
        _POSITIONS: request.positions,
        "files": listed,
    }
    _write(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def _write(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), 0o644)


def _rename(staged: Path, folder: Path) -> None:
    try:
        os.rename(staged, folder)
    except OSError:
        # Another process was first; its entry is as good, unless it cannot be read.
        try:
            _read_entry(folder)
        except _UNREADABLE as error:
            _discard(folder, error)
            os.rename(staged, folder)
        else:
            shutil.rmtree(staged, ignore_errors=True)


def _remove_stale(staging: Path) -> None:
    """Removes what processes that ended in the middle have left."""
    now = time.time()
    with os.scandir(staging) as entries:
        for entry in entries:
            try:
                if now - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    shutil.rmtree(entry.path, ignore_errors=True)
            except OSError:
                continue


def clear() -> None:
    """Forgets the kernels of this process, and removes the entries on disk of this version and kind of machine."""
    memory.clear()
    shutil.rmtree(kernels_folder(), ignore_errors=True)
