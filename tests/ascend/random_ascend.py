#!/usr/bin/env python3
"""Runs random programs of the Ascend 950 in the simulator, and says which do not do what the interpreter does.

    python tests/ascend/random_ascend.py [--programs 500] [--seed 1] [--kind vector|cube] [--within 280] [--keep folder]

Prints one line of what was found, then the seeds and their failures, a line each; exits with 1 unless every program
that the compiler takes agreed. Tensors hold small integers, so that results are exact and compared as such. Programs
are kept in the folder as modules that define `program`, by the names of their seeds.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import tilelang
from cube_programs import cube_program
from program_text import Program
from vector_programs import vector_program

# What the compiler says it does not have, or that a machine has too little of.
REFUSED = re.compile(r"error\[TL09[01]\]")
PACKAGE = "random_ascend_program"


def program_of(seed: int, kind: str | None = None) -> Program:
    kind = kind or ("cube" if seed % 4 == 0 else "vector")
    return cube_program(seed) if kind == "cube" else vector_program(seed)


def function_of(path: Path):
    spec = importlib.util.spec_from_file_location(f"{PACKAGE}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def as_dtype(values: np.ndarray, dtype: str):
    if dtype == "bfloat16":
        import ml_dtypes

        return values.astype(ml_dtypes.bfloat16)
    return values.astype(dtype)


def arguments(program: Program, seed: int) -> list:
    """Small integers."""
    random = np.random.default_rng(seed)
    tensors = [as_dtype(random.integers(-4, 5, t.shape), t.dtype) for t in program.tensors]
    return [*tensors, *program.scalars.values()]


def difference(program: Program, expected: list, found: list) -> str | None:
    for tensor, want, got in zip(program.tensors, expected, found):
        bad = np.argwhere(~((want == got) | ((want != want) & (got != got))))
        if len(bad):
            at = tuple(int(i) for i in bad[0])
            return f"{tensor.name}{list(at)}: simulator {got[at]}, interpreter {want[at]} ({len(bad)} differ)"
    return None


def first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if "error" in line] or [str(error)[:200]]
    return f"{type(error).__name__}: {lines[0][:240]}"


def run_program(path: Path, program: Program, seed: int) -> tuple[str, str]:
    """What became of a program: "agrees", "refused", "unusable" or "fails", and why."""
    try:
        function = function_of(path)
        expected = arguments(program, seed)
        tilelang.compile(function, target="interpret")(*expected)
    except Exception as error:
        return "unusable", first_line(error)
    found = arguments(program, seed)
    try:
        kernel = tilelang.compile(function, target="ascend")
    except Exception as error:
        refused = REFUSED.search(str(error)) is not None
        return "refused" if refused else "fails", f"compiling: {first_line(error)}"
    try:
        kernel(*found)
    except Exception as error:
        return "fails", f"running: {first_line(error)}"
    differs = difference(program, expected, found)
    return ("fails", differs) if differs else ("agrees", "")


def write_program(folder: Path, seed: int, kind: str | None = None) -> tuple[Path, Program]:
    program = program_of(seed, kind)
    path = folder / f"seed_{seed}.py"
    path.write_text(program.text)
    return path, program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=("vector", "cube"))
    parser.add_argument("--within", type=float, default=280, help="seconds, after which no further program starts")
    parser.add_argument("--keep", type=Path, help="default: a new temporary folder")
    parser.add_argument("--all", action="store_true", help="a line for programs that are refused or unusable, too")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="random-ascend-"))
    folder.mkdir(parents=True, exist_ok=True)
    tilelang.disable_cache()
    tilelang.set_log_level("WARNING")
    shown = ("fails", "refused", "unusable") if options.all else ("fails",)
    start, counts, failures = time.monotonic(), Counter(), []
    for seed in range(options.seed, options.seed + options.programs):
        if time.monotonic() - start > options.within:
            counts["did not run"] = options.seed + options.programs - seed
            break
        path, program = write_program(folder, seed, options.kind)
        what, why = run_program(path, program, seed)
        counts[what] += 1
        if what in shown:
            failures.append(f"seed {seed}: {what}: {why}")
    print(
        f"seeds {options.seed} to {options.seed + options.programs - 1}: {counts['agrees']} agree, "
        f"{counts['fails']} fail, {counts['refused']} are refused, {counts['unusable']} are unusable, "
        f"{counts['did not run']} did not run; {time.monotonic() - start:.0f} s; programs in {folder}"
    )
    for failure in failures:
        print(failure)
    return 1 if counts["fails"] or counts["did not run"] else 0


if __name__ == "__main__":
    sys.exit(main())
