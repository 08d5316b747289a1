"""The form of the sources: formatters and linters are content, files are short and named for what they hold."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

from source_tree import ROOT, cpp_files, files, python_files

LINE_LIMIT = 400  # of one file; most stay below LINE_AIM
LINE_AIM = 300

EMPTY_WORDS = {"util", "utils", "common", "helper", "helpers", "misc", "manager"}
# Modules that users import under these names.
NAMES_OF_THE_LANGUAGE = {"python/tilelang/utils"}


def run_in_root(tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a tool of this Python's environment in the root of the tree."""
    path = Path(sysconfig.get_path("scripts"), tool)
    assert path.is_file(), f"{tool} is not installed beside {sys.executable}: ./dev check installs it"
    return subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_clang_format_has_nothing_to_change() -> None:
    paths = cpp_files()
    assert paths
    result = run_in_root("clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *paths)
    wrong = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "-Wclang-format-violations" in line})
    assert result.returncode == 0, f"run ./dev format on: {' '.join(wrong) or result.stderr}"


def test_ruff_finds_nothing() -> None:
    result = run_in_root("ruff", "check", "--no-cache", "--output-format=concise", ".")
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_has_nothing_to_format() -> None:
    result = run_in_root("ruff", "format", "--no-cache", "--check", ".")
    assert result.returncode == 0, "run ./dev format on:\n" + result.stdout + result.stderr


def test_files_are_short() -> None:
    lengths = {
        path: len((ROOT / path).read_text().splitlines()) for path in [*cpp_files(), *python_files(), Path("dev")]
    }
    longest_first = sorted(lengths.items(), key=lambda item: -item[1])
    report = "\n".join(f"{count:5} {path}" for path, count in longest_first if count > LINE_AIM)
    if report:
        warnings.warn(f"files of more than {LINE_AIM} lines (the limit is {LINE_LIMIT}):\n{report}", stacklevel=1)
    assert longest_first[0][1] <= LINE_LIMIT, f"files of more than {LINE_LIMIT} lines must be split:\n{report}"


def test_names_say_what_a_file_holds() -> None:
    empty = []
    for path in files():
        for part in [path, *path.parents]:
            words = set(re.split(r"[_\-.]", part.name.lower()))
            if words & EMPTY_WORDS and part.as_posix() not in NAMES_OF_THE_LANGUAGE:
                empty.append(part.as_posix())
    assert not empty, f"name these for what they hold: {sorted(set(empty))}"


def test_headers_guard_themselves() -> None:
    headers = [path for path in cpp_files() if path.suffix in (".h", ".cuh") and "prelude" not in path.parts]
    bare = [str(path) for path in headers if "#pragma once" not in (ROOT / path).read_text()]
    assert not bare, f"no #pragma once in {bare}"
