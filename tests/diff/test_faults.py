"""The list of seeded faults fits the sources: every text to be replaced is there, once."""

from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib")

ROOT = Path(__file__).resolve().parents[2]
FAULTS = tomllib.loads((ROOT / "tests/diff/faults.toml").read_text())["fault"]


def test_there_are_enough_faults():
    assert len(FAULTS) >= 20
    assert len({fault["name"] for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_fault_can_be_applied(fault):
    text = (ROOT / fault["file"]).read_text()
    assert text.count(fault["old"]) == 1, f"{fault['file']}: update the fault in tests/diff/faults.toml"
    assert fault["old"] != fault["new"]
