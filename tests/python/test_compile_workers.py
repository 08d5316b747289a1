"""Processes that compile source for many kernels at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import kernels
import numpy as np
import pytest
import tilelang
from cache_folder import entries
from tilelang._ffi import fn
from tilelang.jit.workers import WorkerPool

pytest_plugins = ["cache_fixtures"]


@pytest.fixture
def here(monkeypatch):
    """A list of the compilations that happen in this process."""
    found = []
    original = fn.artifact_build

    def counted(artifact, *rest):
        found.append(str(fn.artifact_text(artifact, "name")))
        return original(artifact, *rest)

    monkeypatch.setitem(fn.__dict__, "artifact_build", counted)
    return found


def test_kernels_of_workers_run_and_are_kept(cache, here):
    with WorkerPool(2) as pool, pool.in_this_thread():
        for n in (3, 4):
            kernel = tilelang.compile(kernels.scale(2, n), out_idx=[1])
            assert (kernel(np.ones((2, n), np.float32)) == 2).all()
    assert not here and len(entries(cache)) == 2
    tilelang.compile(kernels.scale(2, 5))
    assert len(here) == 1, "outside the pool's scope this process compiles"


def test_errors_come_back_as_they_are(cache):
    with pytest.raises(RuntimeError) as expected:
        tilelang.compile(kernels.scale(2, 2), compile_flags="-no-such-flag")
    with WorkerPool(1) as pool, pool.in_this_thread():
        with pytest.raises(RuntimeError, match=r"error\[TL092\]") as caught:
            tilelang.compile(kernels.scale(2, 2), compile_flags="-no-such-flag")
        assert type(caught.value) is type(expected.value)
        assert tilelang.compile(kernels.scale(2, 2)), "and the worker goes on"


def test_a_worker_that_is_killed_is_an_error_and_no_more(cache):
    with WorkerPool(1) as pool, pool.in_this_thread():
        tilelang.compile(kernels.scale(2, 6))
        (worker,) = pool._idle
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(RuntimeError, match="the process that compiled the source ended with status -9"):
            tilelang.compile(kernels.scale(2, 7))
        kernel = tilelang.compile(kernels.scale(2, 7), out_idx=[1])
        assert (kernel(np.ones((2, 7), np.float32)) == 2).all()


def test_the_pools_end_ends_the_workers(cache):
    with WorkerPool(2) as pool, pool.in_this_thread():
        tilelang.compile(kernels.scale(2, 8))
        processes = [worker._process for worker in pool._idle]
    assert len(processes) == 1 and all(process.poll() == 0 for process in processes)


def test_no_more_workers_than_asked_for(cache):
    def compile_one(pool, n):
        with pool.in_this_thread():
            tilelang.compile(kernels.scale(3, n))

    with WorkerPool(2) as pool:
        threads = [threading.Thread(target=compile_one, args=(pool, n)) for n in range(2, 7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 <= len(pool._idle) <= 2
    assert len(entries(cache)) == 5


PROGRAM = """
import sys
import numpy as np
import tilelang
sys.path.insert(0, {here!r})
import kernels
from tilelang.jit.workers import WorkerPool

print("the main file runs")
with WorkerPool(2) as pool, pool.in_this_thread():
    kernel = tilelang.compile(kernels.scale(2, 2), out_idx=[1], target="c")
print(kernel(np.ones((2, 2), np.float32))[0, 0])
"""


def test_a_program_without_a_guard_of_its_main_part(cache, tmp_path):
    """Workers do not run the user's file again."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM.format(here=os.path.dirname(__file__))))
    result = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert result.stdout == "the main file runs\n2.0\n", result.stderr


def test_this_process_may_be_one_of_them(cache, here):
    with WorkerPool(1, here=True) as pool, pool.in_this_thread():
        tilelang.compile(kernels.scale(2, 9))
        assert len(here) == 1 and not pool._idle
        assert pool._here.acquire(blocking=False), "nothing is compiled here now"
        tilelang.compile(kernels.scale(2, 10))
        assert len(here) == 1 and len(pool._idle) == 1, "while this process is busy a worker compiles"
        pool._here.release()
