"""The compiled library: where it is found, what it shows to the process and what it needs from it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tilelang import libinfo


def test_the_library_is_found_in_the_chosen_folder_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / libinfo.LIBRARY_NAME).touch()
    monkeypatch.setenv("TILELANG_LIBRARY_DIR", str(tmp_path))
    assert libinfo.find_library() == tmp_path / libinfo.LIBRARY_NAME


def test_a_missing_library_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(libinfo, "library_directories", lambda: [tmp_path])
    with pytest.raises(ImportError, match=rf"(?s){re.escape(str(tmp_path))}.*\./dev build"):
        libinfo.find_library()


def test_the_library_shows_abi_functions_only() -> None:
    command = ["nm", "-D", "--defined-only", "--format=posix", str(libinfo.find_library())]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in output.splitlines()]
    assert [name for name in names if not name.startswith("__tvm_ffi_")] == []


def test_the_library_needs_only_the_abi_library_and_the_system() -> None:
    command = ["readelf", "-d", str(libinfo.find_library())]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output))
    assert needed <= {
        "libtvm_ffi.so",
        "libstdc++.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libc.so.6",
        "ld-linux-x86-64.so.2",
    }
    assert "RPATH" not in output and "RUNPATH" not in output
