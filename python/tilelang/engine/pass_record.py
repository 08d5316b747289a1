"""What each pass makes of a program, as the environment asks: `TILELANG_PASS_DIFF` shows what a pass changes,
`TL_LOWER_TRACE` the program after it. Modes: "terminal", "html", "both"."""

from __future__ import annotations

import contextlib
import difflib
import html
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tilelang.env import env

__all__ = ["recorded"]

_UNCHANGED = "# (unchanged)\n"


@contextlib.contextmanager
def recorded(kernel: str, dump: str) -> Iterator[str]:
    """A scope in which a kernel is lowered, with the folder for the program after each pass: `dump` where nothing is
    recorded. At its end, and where lowering fails, the record is shown."""
    difference, trace = env.get_pass_diff_mode(), env.get_lower_trace_mode()
    if difference is None and trace is None:
        yield dump
        return
    with tempfile.TemporaryDirectory(prefix="tilelang-passes-") as folder:
        try:
            yield folder
        finally:
            programs = _programs(Path(folder))
            if difference is not None:
                _show(f"{kernel}: changes by passes", _differences(programs), difference, _diff_path(kernel))
            if trace is not None:
                _show(f"{kernel}: after each pass", programs, trace, Path(env.get_lower_trace_dir()) / f"{kernel}.html")
            if dump:
                shutil.copytree(folder, dump, dirs_exist_ok=True)


def _diff_path(kernel: str) -> Path:
    return Path(env.TILELANG_PASS_DIFF_OUTPUT) / f"{kernel}.html"


def _programs(folder: Path) -> list[tuple[str, str]]:
    """(pass, program after it; empty where it changes nothing), in order."""
    found = []
    for path in sorted(folder.glob("*.tl")):
        text = path.read_text()
        found.append((path.stem, "" if text.startswith(_UNCHANGED) else text))
    return found


def _differences(programs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found, before = [], ""
    for name, text in programs:
        lines = ""
        if text:
            lines = "\n".join(list(difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm=""))[2:])
            before = text
        found.append((name, lines))
    return found


def _show(title: str, parts: list[tuple[str, str]], mode: str, path: Path) -> None:
    if mode in ("terminal", "both"):
        print(f"== {title}")
        for name, text in parts:
            print(f"-- {name}{'' if text else ' (unchanged)'}", *([text] if text else []), sep="\n")
    if mode in ("html", "both"):
        sections = [
            f"<details{' open' if text else ''}><summary>{html.escape(name)}</summary><pre>"
            f"{html.escape(text or 'unchanged')}</pre></details>"
            for name, text in parts
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        heading = html.escape(title)
        path.write_text(
            f"<!doctype html><meta charset=utf-8><title>{heading}</title><h1>{heading}</h1>\n" + "\n".join(sections)
        )
