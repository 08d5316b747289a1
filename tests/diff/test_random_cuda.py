"""`random_cuda.py` accounts for every program, whatever becomes of the processes that run them."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "random_cuda.py"

# Stands for diff_tests: seed 3 differs, 7 ends the process, 12 never ends, and the process of seed 30 ends in a signal.
STAND_IN = f"""#!{sys.executable}
import os, signal, sys, time
first, count = int(os.environ["TL_RANDOM_SEED"]), int(os.environ["TL_RANDOM_PROGRAMS"])
for seed in range(first, first + count):
    if seed == 3:
        print("seed 3: O1[2]: sm_90a 1, interpreter 2", flush=True)
    if seed == 7:
        print("seed 7 ends the process: SIGSEGV", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == 12:
        signal.signal(signal.SIGTERM, lambda *_: (print("seed 12 ends the process: SIGTERM", flush=True), os._exit(1)))
        time.sleep(60)
print("[==========] 1 test from 1 test suite ran. (1 ms total)", flush=True)
if seed == 30:
    print("after seed 30: SIGSEGV", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
"""


def run(tmp_path, *arguments):
    binary = tmp_path / "stand_in"
    binary.write_text(STAND_IN)
    os.chmod(binary, 0o755)
    command = [sys.executable, str(SCRIPT), f"--binary={binary}", f"--logs={tmp_path / 'logs'}", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout.splitlines()


def test_every_program_agrees(tmp_path):
    status, lines = run(tmp_path, "--programs=2", "--processes=2")
    assert status == 0
    assert len(lines) == 1 and lines[0].startswith("seeds 1 to 2: 2 programs ran, 0 failed, 0 did not run; ")


def test_failures_and_crashes_are_counted_and_named(tmp_path):
    status, lines = run(tmp_path, "--programs=10", "--processes=1")
    assert status == 1
    assert lines[0].startswith("seeds 1 to 10: 10 programs ran, 2 failed, 0 did not run; ")
    assert lines[1:] == ["seed 3: O1[2]: sm_90a 1, interpreter 2", "seed 7: ends the process: SIGSEGV"]


def test_what_does_not_end_in_time_has_not_run(tmp_path):
    status, lines = run(tmp_path, "--seed=11", "--programs=4", "--processes=1", "--within=2")
    assert status == 1
    assert re.match(r"seeds 11 to 14: 1 programs ran, 0 failed, 3 did not run; ", lines[0]), lines


def test_a_crash_outside_of_programs_is_a_failure(tmp_path):
    status, lines = run(tmp_path, "--seed=29", "--programs=2", "--processes=1")
    assert status == 1
    assert lines[0].startswith("seeds 29 to 30: 2 programs ran, 0 failed, 0 did not run; ")
    assert lines[1:] == ["SIGSEGV after seed 30, outside of a program"]
