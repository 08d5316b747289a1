"""Every program of this folder is wrong; beside it is the report that its user sees.

The first line of an expected text names the classes that catch the error, or says that it is a warning, which is logged
and does not stop the program. Positions are shortened to the file's base name. `./dev bless tests/error` rewrites the
texts.
"""

from __future__ import annotations

import io
import logging
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import tilelang
from tilelang._ffi import fn

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))

# Codes that no program here causes, and why.
WITHOUT_PROGRAM = {
    93: "needs a system without a GPU",
    94: "needs a GPU",
    106: "needs an array on another device than the host",
    111: "errors of text IR, which are for `tlc`: tests/ir",
    125: "a fault of Ascend C text: tests/unit/ascend",
    126: "a fault of Ascend C text: tests/unit/ascend",
    127: "a fault of Ascend C text: tests/unit/ascend",
    128: "a fault of Ascend C text: tests/unit/ascend",
}


def classes_of(error: BaseException) -> str:
    """The classes by which programs catch an error, the narrowest first."""
    kind = type(error)
    if kind.__module__ != "tilelang.errors":
        return kind.__name__
    # One that is made from a built-in class is caught by that class.
    own = [] if kind.__name__.startswith("TileLang") else [kind.__name__]
    return ", ".join(own + [base.__name__ for base in reversed(kind.__bases__)])


def report_of(path: Path) -> str:
    """Runs a program as a script, and gives what its user reads."""
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    handler.setLevel(logging.WARNING)
    logger = logging.getLogger("tilelang")
    logger.addHandler(handler)
    tilelang.disable_cache()  # what comes from it has no warnings
    try:
        runpy.run_path(str(path), run_name="__main__")
    except Exception as error:
        text = f"{classes_of(error)}\n{error}\n"
    else:
        text = f"warning, logged\n{logged.getvalue()}"
    finally:
        tilelang.enable_cache()
        logger.removeHandler(handler)
    text = text.replace(f"{HERE}/", "")
    # What depends on the machine: folders of temporary files, the source compiler.
    text = re.sub(r"/\S*/tilelang-\w+/", "<folder>/", text)
    return re.sub(r"note: the compiler is .*", "note: the compiler is <compiler>", text)


def without_columns(text: str) -> str:
    """The report as far as Python 3.10 can make it: it does not know the columns of a call outside of a trace."""
    text = re.sub(r"(\.py:\d+):\d+", r"\1", text)
    return re.sub(r"\n +\| +\^+(?=\n)", "", text)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_report(path: Path, expect_text, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    report, expected = report_of(path), path.with_suffix(".txt")
    if (
        sys.version_info < (3, 11)
        and expected.is_file()
        and without_columns(report) == without_columns(expected.read_text())
    ):
        return
    expect_text(expected, report)


def test_every_code_has_a_program() -> None:
    known = {int(number) for number, _, _ in fn.diagnostic_codes()}
    shown = {int(n) for path in PROGRAMS for n in re.findall(r"\[TL(\d+)\]", path.with_suffix(".txt").read_text())}
    assert shown | WITHOUT_PROGRAM.keys() == known
    assert not shown & WITHOUT_PROGRAM.keys(), "has a program now"


def test_no_text_without_program() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == {path.stem for path in PROGRAMS}


# Reports without an arrow, since Python's traceback ends at the call; reports whose text or note is the remedy, or
# whose remedy is up to the program.
WITHOUT_ARROW = {92, *range(100, 108)}
WITHOUT_HELP = {88, 100, 110}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_form(path: Path) -> None:
    """The file's name starts with its code; a finding has an arrow to its line, a caret under it, and a remedy."""
    text = path.with_suffix(".txt").read_text()
    assert "internal error" not in text
    if code := re.match(r"tl(\d{3})_", path.name):
        assert f"[TL{code[1]}]" in text
    for finding in re.split(r"\n(?=(?:error|warning)\[)", text)[1:]:
        number = int(re.search(r"\[TL(\d{3})\]", finding)[1])
        arrow = rf"\n  --> {path.name}:\d+:\d+\n +\d+ \| .+\n +\| +\^+\n"
        assert number in WITHOUT_ARROW or re.search(arrow, finding)
        assert number in WITHOUT_HELP or "\nhelp: " in finding


def test_internal_errors_leave_a_reproducer(tlc: Path, tmp_path: Path, monkeypatch) -> None:
    """A failure of the compiler writes the program down; `tlc opt` on that file fails in the same way."""
    monkeypatch.setenv("TL_REPRODUCER_DIR", str(tmp_path))
    unsound = """func @broken params [%A: global float32[4]] {
  launch [], [] {
    if %A[0] > 0.0:float32 {
      bind %x: float32, %A[0]
    }
    store %A, [0], %x
  }
}
"""
    with pytest.raises(tilelang.InternalError) as caught:
        fn.artifact_compile(fn.function_parse(unsound), "host", {}, "")
    problem = "`x` is used outside the scope that defines it"
    assert problem in str(caught.value)
    (reproducer,) = tmp_path.glob("*.tl")
    assert f"reproducer: {reproducer} (run it with: tlc opt {reproducer})" in str(caught.value)
    replayed = subprocess.run([tlc, "opt", reproducer], capture_output=True, text=True)
    assert replayed.returncode != 0
    assert problem in replayed.stderr
