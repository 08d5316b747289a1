"""The command-line tool: run, emit, shrink, and what it says about wrong input."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

SCALE = """func @scale symbols [%n: int32] params [%A: global float32[%n], %B: global float32[%n], %s: float32] {
  launch [%bx: int32], [-floordiv(-%n, 64)], threads=[128] {
    alloc %a: fragment float32[64]
    tile.copy src=%A[%bx * 64 :+ 64], dst=%a[0 :+ 64]
    parallel [%i: int32], [64] {
      store %a, [%i], %a[%i] * %s
    }
    tile.copy src=%a[0 :+ 64], dst=%B[%bx * 64 :+ 64]
  }
}
"""


def run(tlc: Path, *arguments: str | Path, text: str = SCALE) -> subprocess.CompletedProcess[str]:
    """Runs tlc with `text` as its standard input."""
    return subprocess.run([tlc, *arguments, "-"], input=text, capture_output=True, text=True, timeout=60)


def test_run_compares_host_and_interpreter(tlc):
    for n in (1, 63, 64, 65, 1000):
        result = run(tlc, "run", "--target=both", f"--set=n={n}", f"--seed={n}")
        assert (result.returncode, result.stdout) == (0, "host and interpreter agree\n"), result.stderr


def test_run_shows_results(tlc):
    for target in ("host", "interpret"):
        result = run(tlc, "run", f"--target={target}", "--set=n=3,s=2", "--seed=7")
        shown = dict(re.findall(r"(\w): sum \S+, first(.*)", result.stdout))
        given, doubled = ([float(v) for v in shown[name].split()] for name in ("A", "B"))
        assert len(given) == 3 and doubled == [2 * v for v in given], result.stdout + result.stderr


def test_run_reports_what_the_checker_finds(tlc):
    loop = "parallel [%i: int32], [4] { store %A, [0], 1.0:float32 }"
    racy = "func @f params [%A: global float32[8]] { launch [], [] { " + loop + " } }"
    result = run(tlc, "run", "--target=interpret", text=racy)
    assert result.returncode == 1
    assert "TL122" in result.stderr


def test_emit_prints_source(tlc):
    source = run(tlc, "emit").stdout
    assert 'extern "C"' in source and "void scale_kernel(" in source and "* s" in source


def test_shrink_keeps_what_fails(tlc, tmp_path):
    program = tmp_path / "program.tl"
    program.write_text(SCALE)
    check = "! grep -q 'tile.copy src=%a'"
    result = subprocess.run([tlc, "shrink", f"--check={check}", program], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "tile.copy src=%a" in result.stdout
    assert "parallel" not in result.stdout and "%s" not in result.stdout.split("{", 1)[1]
    assert run(tlc, "opt", "--passes=simplify", text=result.stdout).returncode == 0


def test_wrong_input_is_an_error_at_its_place(tlc):
    result = run(tlc, "opt", text="func @f params [] {\n  store %X, [0], 1\n}\n")
    assert result.returncode == 1
    assert "TL111" in result.stderr and ":2:" in result.stderr and "unknown buffer `%X`" in result.stderr
    assert run(tlc, "opt", "--passes=no-such-pass").returncode == 1
    assert run(tlc, "emit", "--target=sm_0").returncode == 1
    assert subprocess.run([tlc], capture_output=True, text=True).returncode == 2


def test_documentation_names_every_op_and_pass(tlc, root):
    """docs/text-ir.md gives each op a row, ARCHITECTURE.md each pass of the host."""
    headers = "".join(p.read_text() for p in (root / "src" / "ir").glob("ops_*.h"))
    names = re.findall(r'kName = "([\w.]+)"', headers)
    page = (root / "docs" / "text-ir.md").read_text()
    assert len(names) > 20
    assert [name for name in names if not re.search(rf"`{re.escape(name)}\b", page)] == []
    pipeline = re.search(r"kHost = \{(.*?)\};", (root / "src" / "passes" / "pipeline.cpp").read_text(), re.S)[1]
    architecture = (root / "ARCHITECTURE.md").read_text()
    assert [p for p in re.findall(r'\{"([\w-]+)"', pipeline) if p not in architecture] == []
