"""The files of the source tree that people write; run as a program it lists those of one kind, a path a line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Generated or expected text, which has the form that its generator gives it.
_EXPECTED_TEXT = ("tests/emit/", "tests/ir/", "tests/error/")


# What is built or fetched into the tree, for a machine that has no git to ask.
_NOT_WRITTEN = re.compile(r"(^|/)(\.[^/]*|__pycache__|build[^/]*|dist|wheels|[^/]*\.(so|whl|pyc|egg-info))(/|$)")


def _files_without_git() -> list[Path]:
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(path for path in found if not _NOT_WRITTEN.search(path.as_posix()))


def files() -> list[Path]:
    """Every file that is tracked or could be, relative to the root, sorted."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return _files_without_git()
    command = [
        "git",
        "-C",
        str(ROOT),
        "-c",
        "safe.directory=*",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [Path(name) for name in sorted(set(names)) if name and (ROOT / name).is_file()]


def cpp_files() -> list[Path]:
    """The C++ sources and headers that are written by hand."""
    return [
        path
        for path in files()
        if path.suffix in (".cpp", ".h", ".cuh") and not path.as_posix().startswith(_EXPECTED_TEXT)
    ]


def python_files() -> list[Path]:
    return [path for path in files() if path.suffix == ".py"]


if __name__ == "__main__":
    kinds = {"cpp": cpp_files, "python": python_files, "all": files}
    print(*kinds[sys.argv[1]](), sep="\n")
