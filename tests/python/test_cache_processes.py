"""Many processes on one cache, processes that are killed, caches that may only be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cache_folder import compile_and_check
from tilelang.env import env

pytest_plugins = ["cache_fixtures"]


def run_python(code: str, cache_dir, **options) -> subprocess.Popen:
    environment = {**os.environ, "TILELANG_CACHE_DIR": str(cache_dir), "TILELANG_PRINT_ON_COMPILATION": "0"}
    path = Path(cache_dir).parent / f"program_{abs(hash(code))}.py"
    path.write_text(textwrap.dedent(code))
    here = str(Path(__file__).parent)
    environment["PYTHONPATH"] = os.pathsep.join([here, environment.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


PROGRAM = """
import kernels, numpy as np, tilelang
kernel = tilelang.compile(kernels.scale(4, 4), out_idx=[1])
assert (kernel(np.ones((4, 4), np.float32)) == 2).all()
print("right")
"""


def test_a_read_only_cache(cache, tmp_path):
    """As a user who may read but not write."""
    if os.getuid() != 0:
        pytest.skip("needs a second user")
    compile_and_check()
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    child = run_python(PROGRAM, Path(env.TILELANG_CACHE_DIR))
    out, error = child.communicate(timeout=120)
    assert out == "right\n", error


CROWD = """
import os, sys
import kernels, numpy as np, tilelang
from tilelang._ffi import fn
from tilelang.cache import store

fn.thread_count()  # the library is loaded once, before the processes part
read, write = os.pipe()
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)  # all start together, when the pipe closes
        for n in (4, 5):
            kernel = tilelang.compile(kernels.scale(4, n), out_idx=[1])
            if not (kernel(np.ones((4, n), np.float32)) == 2).all():
                os._exit(1)
        os._exit(0)
    children.append(child)
os.close(write)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""


def test_twenty_processes_at_once(tmp_path):
    child = run_python(CROWD, tmp_path / "cache")
    out, error = child.communicate(timeout=300)
    assert out == f"{[0] * 20}\n", error
    assert len(list((tmp_path / "cache").glob("*/*/kernels/*"))) == 2
    assert not list((tmp_path / "cache").glob("*/*/.staging/*"))


KILLED = """
import os, signal
import kernels, numpy as np, tilelang
from tilelang.cache import store

original = store._write
def write(path, content):
    if path.name == {name!r}:
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    original(path, content)

store._write = write
tilelang.compile(kernels.scale(4, 4), out_idx=[1])
"""


@pytest.mark.parametrize("name", ["kernel_lib.so", "manifest.json"])
def test_a_process_killed_while_publishing(tmp_path, name):
    folder = tmp_path / "cache"
    child = run_python(KILLED.format(name=name), folder)
    child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL
    assert not list(folder.glob("*/*/kernels/*")) and len(list(folder.glob("*/*/.staging/*"))) == 1
    child = run_python(PROGRAM, folder)
    out, error = child.communicate(timeout=120)
    assert out == "right\n", error
    assert len(list(folder.glob("*/*/kernels/*"))) == 1
