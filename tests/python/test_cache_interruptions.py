"""The cache on disk when processes end, folders vanish and space runs out at any moment: the answer is right, and the
next process finds nothing that stops it."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from cache_folder import compile_and_check, entries, forget
from tilelang.cache import store
from tilelang.env import env

pytest_plugins = ["cache_fixtures"]

# Prints a line when it is about to compile, and one for each kernel.
PROGRAM = """
import sys
sys.path.insert(0, {here!r})
import kernels, numpy as np, tilelang
from tilelang._ffi import fn
fn.thread_count()
print("begins", flush=True)
for n in range(2, 2 + {count}):
    kernel = tilelang.compile(kernels.scale(4, n), out_idx=[1], target="c")
    assert (kernel(np.ones((4, n), np.float32)) == 2).all()
    print("right", flush=True)
"""


def start(folder: Path, count: int, **options) -> subprocess.Popen:
    path = folder.parent / "program.py"
    path.write_text(textwrap.dedent(PROGRAM.format(here=str(Path(__file__).parent), count=count)))
    environment = {**os.environ, "TILELANG_CACHE_DIR": str(folder), "TILELANG_PRINT_ON_COMPILATION": "0"}
    return subprocess.Popen(
        [sys.executable, str(path)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,
    )


def run_to_the_end(folder: Path, count: int, **options) -> None:
    child = start(folder, count, **options)
    out, error = child.communicate(timeout=120)
    assert out == "begins\n" + "right\n" * count, error
    assert child.returncode == 0, error


def test_processes_killed_at_any_moment(tmp_path):
    """Six processes are killed, each a little later after its start than the one before."""
    folder, count = tmp_path / "cache", 3
    for at in range(6):
        child = start(folder, count)
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.045 * at)
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate(timeout=60)
        for entry in folder.glob("*/*/kernels/*"):
            store._read_entry(entry)  # raises for an entry of which a part is missing
    run_to_the_end(folder, count)
    assert len(list(folder.glob("*/*/kernels/*"))) == count


def test_no_more_space_while_files_are_written(tmp_path):
    """A limit on the size of files stands for a full disk: writing an entry breaks off in the middle."""
    folder = tmp_path / "cache"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    # The kernel's library, made in another folder, is below the limit; the entry has a file that is above.
    script = tmp_path / "fill.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {str(Path(__file__).parent)!r})
            import kernels, numpy as np, tilelang
            from tilelang.cache import store
            original = store._write_entry
            def grown(folder, files, request):
                original(folder, {{**files, "host_kernel.txt": bytes(1 << 17)}}, request)
            store._write_entry = grown
            kernel = tilelang.compile(kernels.scale(4, 4), out_idx=[1], target="c")
            assert (kernel(np.ones((4, 4), np.float32)) == 2).all()
            print("right")
            """
        )
    )
    environment = {**os.environ, "TILELANG_CACHE_DIR": str(folder), "TILELANG_PRINT_ON_COMPILATION": "0"}
    result = subprocess.run(
        [sys.executable, str(script)],
        env=environment,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.stdout == "right\n", result.stderr
    assert not list(folder.glob("*/*/kernels/*")) and not list(folder.glob("*/*/.staging/*"))


MOMENTS = ["_read_entry", "_write_entry", "_rename", "_remove_stale"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_folder_vanishes(cache, compiles, monkeypatch, moment):
    compile_and_check()
    forget()
    original = getattr(store, moment)

    def vanishing(*arguments):
        shutil.rmtree(env.TILELANG_CACHE_DIR, ignore_errors=True)
        return original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(store, moment, vanishing)
        compile_and_check(5, 5)
    forget()
    compile_and_check(5, 5)
    forget()
    compile_and_check(5, 5)
    assert len(entries(cache)) >= 1


def test_the_folder_vanishes_again_and_again(tmp_path):
    """Another process removes the folder all the time."""
    folder = tmp_path / "cache"
    child = start(folder, 4)
    until = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.002)
    out, error = child.communicate(timeout=60)
    assert out == "begins\n" + "right\n" * 4 and child.returncode == 0, error


@pytest.mark.parametrize("kind", ["file", "link to itself"])
def test_something_else_where_the_folder_belongs(tmp_path, monkeypatch, compiles, kind):
    path = tmp_path / "cache"
    if kind == "file":
        path.write_text("not a folder")
    else:
        path.symlink_to(path)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(path))
    for _ in range(2):
        forget()
        compile_and_check()
    forget()
    assert len(compiles) == 2
