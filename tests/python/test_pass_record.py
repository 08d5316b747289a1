"""Records of passes that the environment asks for."""

from __future__ import annotations

import kernels
import pytest
import tilelang


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def source_of(n: int) -> str:
    return tilelang.lower(kernels.scale(4, n), target="c").kernel_source


def test_nothing_is_recorded_unless_asked_for(here, capsys):
    source_of(101)
    assert not capsys.readouterr().out and not list(here.iterdir())


def test_differences_in_the_terminal(here, monkeypatch, capsys):
    monkeypatch.setenv("TILELANG_PASS_DIFF", "1")
    source_of(102)
    out = capsys.readouterr().out
    assert "changes by passes" in out and "lower-parallel" in out and "(unchanged)" in out
    assert any(line.startswith("-") and "parallel" in line for line in out.splitlines()), "a pass takes the loop away"
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("switch", "folder", "variable"),
    [
        ("TILELANG_PASS_DIFF", "differences", "TILELANG_PASS_DIFF_OUTPUT"),
        ("TL_LOWER_TRACE", "trace", "TL_LOWER_TRACE_DIR"),
    ],
)
def test_a_page(here, monkeypatch, capsys, switch, folder, variable):
    monkeypatch.setenv(switch, "html")
    monkeypatch.setenv(variable, str(here / folder))
    source = source_of(103)
    (page,) = (here / folder).glob("*.html")
    text = page.read_text()
    assert "<details open>" in text and "lower-parallel" in text and "&#x27;" not in source
    assert not capsys.readouterr().out


def test_both_and_a_dump_as_well(here, monkeypatch, capsys):
    monkeypatch.setenv("TL_LOWER_TRACE", "both")
    configs = {"tl.enable_dump_ir": True, "tl.dump_ir_path": str(here / "dump")}
    tilelang.compile(kernels.scale(4, 104), target="c", pass_configs=configs)
    assert "after each pass" in capsys.readouterr().out
    assert len(list((here / "dump").glob("*.tl"))) > 8
    assert list((here / "tmp" / "lower_trace_dir").glob("*.html"))
