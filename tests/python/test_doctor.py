"""`python -m tilelang`: the doctor's report on machines that have and lack things."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import pytest
from tilelang.backend import cuda
from tilelang.doctor import Status, devices

LINES = [
    "install", "import", "kernel cache", "PyTorch", "host: compile", "host: run", "host: numerics", "CUDA driver",
    "CUDA compiler", "Ascend toolkit", "bisheng", "Ascend device",
]  # fmt: skip


def run(*arguments: str, **environment: str) -> tuple[int, list[str]]:
    result = subprocess.run(
        [sys.executable, "-m", "tilelang", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert not result.stderr, result.stderr
    return result.returncode, result.stdout.splitlines()


def line_of(lines: list[str], what: str) -> str:
    (found,) = [line for line in lines if line.strip().startswith(what + " ")]
    return found


def test_version():
    import tilelang

    assert run("--version") == (0, [f"tilelang {tilelang.__version__}"])


def test_a_healthy_machine(tmp_path):
    status, lines = run("doctor", TILELANG_CACHE_DIR=str(tmp_path))
    assert status == 0, lines
    for what in LINES:
        assert line_of(lines, what)
    for what in ("install", "import", "host: compile", "host: run", "host: numerics"):
        assert " works " in line_of(lines, what)
    assert "largest errors against float64" in line_of(lines, "host: numerics")
    assert lines[-1] == "everything that should work here does"


def test_no_compiler(tmp_path):
    status, lines = run("doctor", TILELANG_CACHE_DIR=str(tmp_path), CXX="/bin/false")
    assert status == 1 and lines[-1] == "1 failing: host: compile"
    assert " FAILS " in line_of(lines, "host: compile") and "install a C++17 compiler" in line_of(
        lines, "host: compile"
    )
    assert " not tried " in line_of(lines, "host: run") and " not tried " in line_of(lines, "host: numerics")


def test_a_cache_that_cannot_be_written():
    status, lines = run("doctor", TILELANG_CACHE_DIR="/proc/no/such")
    assert status == 1
    assert " FAILS " in line_of(lines, "kernel cache") and "set TILELANG_CACHE_DIR" in line_of(lines, "kernel cache")


def test_no_library(tmp_path):
    """Without the compiled part nothing else can be tried."""
    code = "import sys, tilelang.libinfo as i; i.library_directories = lambda: []; from tilelang.__main__ import main; "
    result = subprocess.run(
        [sys.executable, "-c", code + "sys.exit(main(['doctor']))"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1 and "1 failing: import" in result.stdout
    assert "host: compile" not in result.stdout and "CUDA" not in result.stdout


# --- CUDA, as the library tells of it ---

WORKS = {
    "driver": "13.0",
    "driver_problem": "",
    "compiler": "13.0",
    "compiler_path": "/x/libnvrtc.so",
    "compiler_problem": "",
}


@pytest.fixture
def findings(monkeypatch):
    """`findings(status, *devices)`: what the doctor says, by line."""

    def find(status, *found):
        monkeypatch.setattr(cuda, "status", lambda: status)
        monkeypatch.setattr(cuda, "devices", functools.cache(lambda: found))
        return {finding.what: finding for finding in devices.cuda_findings()}

    return find


def test_a_machine_without_gpu(findings, monkeypatch):
    monkeypatch.setattr(devices, "_compile_without_device", lambda: "compiled")
    found = findings({**WORKS, "driver_problem": "libcuda.so.1 is not there"})
    assert found["CUDA driver"].status is Status.ABSENT and found["CUDA compiler"].status is Status.WORKS
    assert found["CUDA: compile"].status is Status.WORKS and "CUDA device" not in found


def test_a_gpu_without_nvrtc_fails(findings):
    device = cuda.Device(0, "H200", "sm_90", "sm_90a", 141 << 30)
    found = findings({**WORKS, "compiler_problem": "not found"}, device)
    assert (
        found["CUDA compiler"].status is Status.FAILS
        and "pip install nvidia-cuda-nvrtc" in found["CUDA compiler"].remedy
    )
    assert found["cuda:0"].found == "H200, sm_90, 141 GiB" and "cuda:0: compile" not in found


def test_a_device_that_cannot_be_used_fails(findings, monkeypatch):
    def broken(function, target):
        raise RuntimeError("error[TL094]: CUDA driver call failed\nmore lines")

    monkeypatch.setattr(devices, "compiled", broken)
    found = findings(WORKS, cuda.Device(0, "H200", "sm_90", "sm_90a", 141 << 30))
    assert found["cuda:0: compile"].status is Status.FAILS
    assert found["cuda:0: compile"].found == "error[TL094]: CUDA driver call failed"
    assert found["cuda:0: run"].status is found["cuda:0: numerics"].status is Status.SKIPPED


def test_wrong_numbers_fail():
    import numpy as np
    from tilelang.doctor.host import arrays, check_results
    from tilelang.doctor.programs import SIDES

    m, n, k = SIDES
    a, b = arrays((50,), (50,))
    p, q = arrays((m, k), (k, n))
    results = {"add": (a, b, a + b), "matmul": (p, q, p @ q)}
    assert check_results(results).startswith("largest errors")
    for name, wrong in (("add", (a, b, a + b + np.float32(1e-3))), ("matmul", (p, q, (p @ q) * np.float32(1.01)))):
        with pytest.raises(Exception, match="largest errors"):
            check_results({**results, name: wrong})
