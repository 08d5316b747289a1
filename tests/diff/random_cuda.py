#!/usr/bin/env python3
"""Runs random programs on a CUDA device, in several processes, and says which do not do what the interpreter does.

    python tests/diff/random_cuda.py [--programs 2000] [--seed 1] [--processes 14] [--within 280]

Prints one line of what was found, then the seeds and their failures, a line each; exits with 1 unless every program
ran and agreed. A program that ends its process, or takes longer than --limit seconds, is one failure: the seeds behind
it run in another process. What the processes said is kept in --logs. One program again:

    TL_RANDOM_SEED=7 TL_RANDOM_PROGRAMS=1 build/tests/diff_tests --gtest_filter=Cuda.DoesWhatTheInterpreterDoes
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST = "Cuda.DoesWhatTheInterpreterDoes"
DIFFERS = re.compile(r"^seed (\d+): (.*)", re.MULTILINE)
ENDED = re.compile(r"^seed (\d+) ends the process: (\w+)", re.MULTILINE)
BETWEEN = re.compile(r"^after seed (\d+): (\w+)", re.MULTILINE)
# Seconds that a process has to say which program it was running, once it is told to end.
GRACE = 10


@dataclass
class Result:
    ran: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)


def run_process(options: argparse.Namespace, first: int, count: int, deadline: float) -> tuple[int, str]:
    """Exit status and output of a process that runs `count` programs; SIGTERM ends it at the deadline."""
    environment = dict(
        os.environ,
        TL_RANDOM_SEED=str(first),
        TL_RANDOM_PROGRAMS=str(count),
        TL_RANDOM_FAILURES=str(count),
        TL_RANDOM_LIMIT=str(options.limit),
        TL_REPRODUCER_DIR=str(options.logs),
    )
    command = [str(options.binary), f"--gtest_filter={TEST}"]
    log = options.logs / f"from-{first}.log"
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return process.returncode, log.read_text(errors="replace")


def run_range(options: argparse.Namespace, first: int, count: int, deadline: float) -> Result:
    """Runs the programs of a range, whatever becomes of their process."""
    result = Result()
    end = first + count
    while first < end and time.monotonic() < deadline:
        status, output = run_process(options, first, end - first, deadline)
        result.failures.update((int(seed), what.strip()) for seed, what in DIFFERS.findall(output))
        ended = ENDED.search(output)
        if ended and int(ended[1]) >= first:
            seed, name = int(ended[1]), ended[2]
            result.ran += seed - first
            if name != "SIGTERM":
                result.ran += 1
                late = f" after {options.limit} s" if name == "SIGALRM" else ""
                result.failures[seed] = f"ends the process: {name}{late}"
            first = seed + 1
            continue
        between = BETWEEN.search(output)
        if between:
            result.ran += int(between[1]) - first + 1
            result.troubles.append(f"{between[2]} after seed {between[1]}, outside of a program")
            first = int(between[1]) + 1
            continue
        if "[  SKIPPED ]" in output:
            result.troubles.append("the test needs a CUDA device")
        elif status in (0, 1) and "1 test from 1 test suite ran" in output:
            result.ran += end - first
        else:
            name = signal.Signals(-status).name if status < 0 else f"status {status}"
            result.troubles.append(f"{name} in the process of seeds {first} to {end - 1}, which does not say where")
        break
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 1) - 2))
    parser.add_argument("--within", type=float, default=280, help="seconds, after which what runs is ended")
    parser.add_argument("--limit", type=int, default=120, help="seconds for one program; 0: any time")
    parser.add_argument("--binary", type=Path, default=ROOT / "build/tests/diff_tests")
    parser.add_argument("--logs", type=Path, help="default: a new temporary folder")
    options = parser.parse_args()
    options.logs = options.logs or Path(tempfile.mkdtemp(prefix="random-cuda-"))
    options.logs.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    deadline = start + options.within
    # Several ranges a process even out what they take; a process takes a second to open the device.
    size = max(1, -(-options.programs // (4 * options.processes)))
    end = options.seed + options.programs
    ranges = [(first, min(size, end - first)) for first in range(options.seed, end, size)]
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        results = list(pool.map(lambda r: run_range(options, *r, deadline), ranges))
    failures = {seed: what for result in results for seed, what in result.failures.items()}
    troubles = sorted({trouble for result in results for trouble in result.troubles})
    ran = sum(result.ran for result in results)
    print(
        f"seeds {options.seed} to {end - 1}: {ran} programs ran, {len(failures)} failed, "
        f"{options.programs - ran} did not run; {time.monotonic() - start:.0f} s, {options.processes} processes; "
        f"logs in {options.logs}"
    )
    for trouble in troubles:
        print(trouble)
    for seed, what in sorted(failures.items()):
        print(f"seed {seed}: {what}")
    return 0 if ran == options.programs and not failures and not troubles else 1


if __name__ == "__main__":
    sys.exit(main())
