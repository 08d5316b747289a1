"""Random programs of the Ascend 950 do what they mean in the simulator; the script that runs many of them counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import random_ascend

SEEDS = range(1, 41)


@pytest.mark.parametrize("seed", SEEDS)
def test_program_does_what_it_means(seed: int, tmp_path: Path) -> None:
    what, why = random_ascend.run_program(*random_ascend.write_program(tmp_path, seed), seed)
    assert what != "fails", f"{why}\n{random_ascend.program_of(seed).text}"
    assert what != "unusable", f"the generator is at fault: {why}"


def test_seeds_are_programs_of_their_own() -> None:
    assert len({random_ascend.program_of(seed).text for seed in SEEDS}) == len(SEEDS)
    assert random_ascend.program_of(7) == random_ascend.program_of(7)


def test_difference_is_told(tmp_path: Path) -> None:
    _, program = random_ascend.write_program(tmp_path, 1)
    expected, found = (random_ascend.arguments(program, 1) for _ in range(2))
    assert random_ascend.difference(program, expected, found) is None
    found[0][(0,) * found[0].ndim] += 1
    assert program.tensors[0].name in random_ascend.difference(program, expected, found)


def test_script_says_what_it_found(tmp_path: Path) -> None:
    script = Path(random_ascend.__file__)
    command = [sys.executable, str(script), "--programs=2", "--seed=1", f"--keep={tmp_path}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("seeds 1 to 2: ")
    assert sorted(path.name for path in tmp_path.glob("*.py")) == ["seed_1.py", "seed_2.py"]
