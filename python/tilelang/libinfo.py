"""Where the compiled library lies."""

from __future__ import annotations

import os
from pathlib import Path

LIBRARY_NAME = "libtilelang.so"

_PACKAGE = Path(__file__).resolve().parent


def library_directories() -> list[Path]:
    """Folders that may hold the library, the first choice first.

    ``$TILELANG_LIBRARY_DIR`` if it is set; the installed package's ``lib``; ``build/lib`` of the source tree that the
    package is used from, if it is one.
    """
    directories = [_PACKAGE / "lib"]
    if chosen := os.environ.get("TILELANG_LIBRARY_DIR"):
        directories.insert(0, Path(chosen))
    tree = _PACKAGE.parent.parent
    if (tree / "CMakeLists.txt").is_file():
        directories.append(tree / "build" / "lib")
    return directories


def find_library() -> Path:
    """The path of the compiled library. Raises ImportError, with the folders looked in and the remedy, without one."""
    directories = library_directories()
    for directory in directories:
        if (path := directory / LIBRARY_NAME).is_file():
            return path
    looked_in = "".join(f"\n  {directory}" for directory in directories)
    raise ImportError(
        f"{LIBRARY_NAME} was not found; looked in:{looked_in}\n"
        "In a source tree run ./dev build; elsewhere reinstall the tilelang package, or set TILELANG_LIBRARY_DIR."
    )
