#!/usr/bin/env python3
"""Puts the faults of faults.toml into a copy of the tree, one at a time; the differential tests must find each, and
those of programs for AI cores random programs in the simulator.

    python tests/diff/seeded_faults.py [--work FOLDER] [--only PATTERN] [--programs 200] [--jobs 2]

The copy and its build stay in FOLDER (default: under the temporary folder), so that every fault recompiles one file.
Takes minutes; run by hand and at night. Exits with 1 when a fault is not found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
# Everything that builds the differential tests and runs random programs, and folders in there that both do without.
PARTS = ("CMakeLists.txt", "cmake", "src", "tests/CMakeLists.txt", "tests/conftest.py", "tests/diff", "tests/ascend")
PARTS += ("examples", "python", "pyproject.toml")
UNUSED = ("src/tools",)
# The first is a handful of programs that random ones are seldom like; the others run 200 each, the second in seconds.
TESTS = (
    "Passes.KeepWhatSmallProgramsThatOnceWentWrongDo",
    "Passes.KeepWhatRandomProgramsDo",
    "Host.DoesWhatTheInterpreterDoes",
)


def read_faults() -> list[dict[str, str]]:
    with open(ROOT / "tests/diff/faults.toml", "rb") as file:
        return tomllib.load(file)["fault"]


def copy_tree(to: Path) -> None:
    """Makes `to` equal to the tree; files that are the same keep their time, so that nothing is built twice."""
    wanted = set()
    for part in PARTS:
        source = ROOT / part
        for file in [source] if source.is_file() else sorted(p for p in source.rglob("*") if p.is_file()):
            if str(file.relative_to(ROOT)).startswith(UNUSED):
                continue
            target = to / file.relative_to(ROOT)
            wanted.add(target)
            if target.exists() and target.read_bytes() == file.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    for file in [p for p in to.rglob("*") if p.is_file() and p not in wanted]:
        if not file.is_relative_to(to / "build"):
            file.unlink()


def build(tree: Path, folder: Path, jobs: int) -> str:
    """Builds diff_tests; the compiler's words when it fails."""
    # ccache knows the objects of any other tree that is built in its own `build`.
    environment = dict(os.environ, CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")
    if not (folder / "build.ninja").exists():
        configure = ["cmake", "-G", "Ninja", "-S", str(tree), "-B", str(folder), "-DTL_BUILD_TESTS=ON"]
        configure += ["-DTL_BUILD_TOOLS=OFF", f"-DTL_PYTHON={sys.executable}"]
        result = subprocess.run(configure, capture_output=True, text=True, env=environment)
        if result.returncode != 0:
            return result.stderr
    command = ["ninja", "-C", str(folder), f"-j{jobs}", "diff_tests", "tilelang"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    return "" if result.returncode == 0 else result.stdout


# Small programs for AI cores that once went wrong, or that random ones are seldom like.
CORES = ("moves", "fractals", "products", "flags", "regressions", "examples")


def verdict_of_cores(folder: Path, programs: int) -> str | None:
    """How programs for AI cores fail, small ones and then random ones; None when all agree with what they mean."""
    environment = dict(os.environ, PYTHONPATH=str(folder.parent / "python"), TILELANG_DISABLE_CACHE="1")
    files = [f"tests/ascend/test_ascend_{name}.py" for name in CORES]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=line", *files]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder.parent, timeout=1800)
    if result.returncode != 0:
        found = re.search(r"FAILED (\S+)", result.stdout)
        return found[1] if found else f"status {result.returncode}: {result.stdout[-200:]}"
    script = folder.parent / "tests/ascend/random_ascend.py"
    command = [sys.executable, str(script), f"--programs={programs}", "--seed=1"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1800)
    if result.returncode == 0:
        return None
    found = re.search(r"seed (\d+): fails: (.*)", result.stdout)
    return f"seed {found[1]}: {found[2][:90]}" if found else f"status {result.returncode}: {result.stderr[-200:]}"


def verdict(folder: Path, programs: int) -> str | None:
    """How the tests fail, in a few words; None when they pass."""
    environment = dict(
        os.environ,
        TL_RANDOM_PROGRAMS=str(programs),
        TL_RANDOM_SEED="1",
        TL_RANDOM_FAILURES="1",
        TL_RANDOM_NO_SHRINK="1",
        TL_REPRODUCER_DIR=str(folder),
    )
    for test in TESTS:
        command = [str(folder / "tests/diff_tests"), f"--gtest_filter={test}"]
        try:
            result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1800)
        except subprocess.TimeoutExpired:
            return f"{test} does not end"
        if result.returncode == 0:
            continue
        found = re.search(r"seed (\d+)(?:: |, )(.*)", result.stdout)
        if not found:
            found = re.search(r"Which is: \"(.*)\"", result.stdout)
            return f"{test}: {found[1][:70]}" if found else f"{test}: status {result.returncode}"
        return f"{test.split('.')[0]}: seed {found[1]}, {found[2][:70]}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "tilelang-seeded-faults")
    parser.add_argument("--only", default="", help="faults whose name this regular expression matches somewhere")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tree = options.work / "tree"
    folder = tree / "build"
    copy_tree(tree)
    if words := build(tree, folder, options.jobs):
        sys.exit(f"the tree does not build:\n{words}")
    faults = [fault for fault in read_faults() if re.search(options.only, fault["name"])]
    finders = {"diff": verdict, "ascend": verdict_of_cores}
    for name in {fault.get("finder", "diff") for fault in faults}:
        if failure := finders[name](folder, options.programs):
            sys.exit(f"the tests fail without a fault: {failure}")
    missed = 0
    for fault in faults:
        start = time.monotonic()
        file = tree / fault["file"]
        text = file.read_text()
        if text.count(fault["old"]) != 1:
            sys.exit(f"{fault['file']} does not contain exactly once:\n{fault['old']}")
        file.write_text(text.replace(fault["old"], fault["new"]))
        try:
            words = build(tree, folder, options.jobs)
            find = finders[fault.get("finder", "diff")]
            failure = "does not build: " + words[-2000:] if words else find(folder, options.programs)
        finally:
            file.write_text(text)
        if failure is None or failure.startswith("does not build"):
            missed += 1
        print(f"{fault['name']} | {failure or 'NOT FOUND'} | {time.monotonic() - start:.0f} s", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
