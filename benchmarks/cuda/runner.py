"""Runs the cases, each in a process of its own with an empty kernel cache, and prints a JSON line a case."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = "launch 4096 float32"


def names():
    """All cases, in order."""
    from benchmarks.cuda.cases import CASES

    return [LAUNCH, *CASES]


def run_all(wanted, limit, passes):
    """Runs the cases whose names hold one of `wanted`; the status is 1 where one fails or falls below what is asked."""
    chosen = [name for name in names() if not wanted or any(word in name for word in wanted)]
    bad = []
    for number in range(passes):
        for name in chosen:
            found = _in_process(name, limit)
            found["pass"] = number + 1
            print(json.dumps(found), flush=True)
            if not found.get("good"):
                bad.append(name)
    if bad:
        print("failed or below what is asked for: " + ", ".join(dict.fromkeys(bad)), file=sys.stderr)
    return 1 if bad else 0


def _in_process(name, limit):
    with tempfile.TemporaryDirectory(prefix="tilelang-bench-") as folder:
        environment = {**os.environ, "TILELANG_CACHE_DIR": folder, "TILELANG_PRINT_ON_COMPILATION": "0"}
        command = [sys.executable, "-m", "benchmarks", "--device", "cuda", "--case", name]
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit, check=False
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"case": name, "error": f"no result in {limit:.0f} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[-1])
    return {"case": name, "error": f"status {done.returncode}: {done.stderr[-2000:]}"}


def run_here(name):
    """Measures one case in this process and prints its line."""
    import tilelang
    import torch

    found = {"case": name}
    try:
        found.update(_launch() if name == LAUNCH else _measured(name))
    except (tilelang.TileLangError, tilelang.InternalError, torch.cuda.OutOfMemoryError, AssertionError) as error:
        found["error"] = f"{type(error).__name__}: {error}"[:2000]
    print(json.dumps(found))
    return 0


def _measured(name):
    from benchmarks.cuda.cases import CASES
    from benchmarks.cuda.measure import alternated, compiled, relative_error

    case = CASES[name]()
    kernel, times = compiled(case.make)
    kernel(*case.arguments)
    error = relative_error(case.arguments[-1], case.reference())
    ours, peer = alternated(lambda: kernel(*case.arguments), case.peer, case.touched)
    ratio = (case.work / ours) / (case.peer_work / peer)
    usage = {"n_regs": kernel.n_regs, "n_spills": kernel.n_spills}
    return {
        "ms": round(ours, 4), "peer_ms": round(peer, 4), "ratio": round(ratio, 4), "least": case.least,
        case.rate: round(case.work / ours / 1e6, 1), "relative_error": error, **times, **usage,
        "good": error <= case.tolerance and ratio >= case.least,
    }  # fmt: skip


def _launch():
    """Host time of a call with three tensors beside `torch.add(out=)`, and of calls that allocate their output."""
    import torch
    import vector_add

    from benchmarks.cuda.measure import compiled, host_microseconds, relative_error

    a, b = torch.randn(2, 4096, device="cuda")
    c, other = torch.full_like(a, float("nan")), torch.empty_like(a)
    kernel, times = compiled(lambda: vector_add.direct(4096))
    kernel(a, b, c)
    error = relative_error(c, a.double() + b)
    ours = host_microseconds(lambda: kernel(a, b, c))
    peer = host_microseconds(lambda: torch.add(a, b, out=other))
    eager = host_microseconds(lambda: vector_add.eager(a, b))
    with_output = vector_add.lazy(4096)
    allocating = host_microseconds(lambda: with_output(a, b))
    return {
        "us": round(ours, 2), "peer_us": round(peer, 2), "ratio": round(ours / peer, 3), "most": 0.6,
        "eager_us": round(eager, 2), "with_output_us": round(allocating, 2), "relative_error": error, **times,
        "good": error < 1e-6 and ours <= 0.6 * peer,
    }  # fmt: skip
