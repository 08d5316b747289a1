"""The documentation is true: its Python runs, its links lead somewhere, its table of errors is the compiler's."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from tilelang._ffi import fn

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def program_of(text: str) -> str:
    """The blocks marked `python` of a page, each at the lines where it stands: they run in order, as one program."""
    inside, kept = False, []
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line.strip() == "```python"
            kept.append("")
        else:
            kept.append(line if inside else "")
    return "\n".join(kept) + "\n"


def pages_with_programs() -> list[Path]:
    return [page for page in PAGES if program_of(page.read_text()).strip()]


@pytest.mark.parametrize("page", pages_with_programs(), ids=lambda page: page.stem)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / f"{page.stem}.py"
    program.write_text(program_of(page.read_text()))
    runpy.run_path(str(program), run_name="__main__")


def test_the_main_pages_have_programs() -> None:
    assert {"README", "language", "errors"} <= {page.stem for page in pages_with_programs()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


def test_index_lists_every_page() -> None:
    docs = ROOT / "docs"
    index = (docs / "index.md").read_text()
    for page in docs.rglob("*.md"):
        assert page.name == "index.md" or f"({page.relative_to(docs)})" in index, f"{page} is not in docs/index.md"


def test_table_of_errors() -> None:
    table = re.findall(
        r"^\| TL(\d{3}) \| (\w+) \| ([^|]*) \| ([^|]+) \| ([^|]+) \|$", (ROOT / "docs/errors.md").read_text(), re.M
    )
    known = [(int(number), str(kind), str(title)) for number, kind, title in fn.diagnostic_codes()]
    assert [(int(number), kind, title.strip()) for number, kind, title, _, _ in table] == known


def test_example_of_an_error() -> None:
    """The report on the page is that of the program in tests/error."""
    report = (ROOT / "tests/error/tl031_gemm_inner_extents.txt").read_text().partition("\n")[2]
    assert report.replace("tl031_gemm_inner_extents.py", "matmul.py") in (ROOT / "docs/errors.md").read_text()
