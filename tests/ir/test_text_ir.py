"""Text IR files: `# run: <passes>` on the first line, a function, `# output:`, and what the passes give.

A file with `# error:` in place of `# output:` holds the diagnostic instead. `./dev bless tests/ir` rewrites that.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.glob("*.tl"))


def output_of(tlc: Path, text: str, tmp_path: Path, name: str) -> tuple[int, str]:
    """Status and text of `tlc opt` on `text`; a diagnostic names the file, not the folder."""
    path = tmp_path / name
    path.write_text(text)
    result = subprocess.run([tlc, "opt", name], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout if result.returncode == 0 else result.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_passes_give_the_expected_text(path: Path, tlc: Path, tmp_path: Path, bless: bool) -> None:
    """The file's passes turn its input into its output, and the output reads back as itself."""
    text = path.read_text()
    marker = "# error:\n" if "\n# error:\n" in text else "# output:\n"
    before, _, expected = text.partition("\n" + marker)
    status, found = output_of(tlc, before + "\n", tmp_path, path.name)
    assert (status != 0) == (marker == "# error:\n"), found
    if bless:
        path.write_text(f"{before}\n{marker}{found}")
        return
    assert found == expected
    if status == 0:
        assert output_of(tlc, "# run: serialize-pipelines\n" + found, tmp_path, "again.tl")[0] == 0


def test_every_pass_has_a_file(tlc: Path) -> None:
    """The worked example of each pass is a test."""
    listing = subprocess.run(
        [tlc, "opt", "--passes=none-such", "-"], input="func @f params [] {}\n", capture_output=True, text=True
    )
    passes = listing.stderr.rsplit("passes: ", 1)[1].strip().split(", ")
    assert len(passes) > 5
    used = {word for path in FILES for word in path.read_text().split("\n", 1)[0].split()[2:]}
    assert set(passes) <= used
