"""Processes that compile source, for many kernels at once: a compiler inside a process compiles one after the other.

A worker is a Python of its own that runs this module, not a child made by `fork` or by `multiprocessing`: it shares no
driver with this process and does not run the user's main file. It takes pickled jobs from its standard input and gives
pickled answers, each with its length before it. Nothing but this process talks to it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

from tilelang._ffi import fn, translated
from tilelang.backend.cuda import find_compiler
from tilelang.errors import error_class

_LENGTH = struct.Struct("<Q")
_of_thread = threading.local()


def build_artifact(artifact, source: str, *options: Any):
    """`artifact` with `source` compiled: by a worker of the pool that this thread belongs to, else in this process."""
    pool = getattr(_of_thread, "pool", None)
    if pool is None:
        return _build(artifact, source, *options)
    return pool.build(artifact, source, *options)


def _build(artifact, source: str, *options: Any):
    if str(fn.artifact_text(artifact, "target")).startswith("sm_"):
        find_compiler()
    return fn.artifact_build(artifact, source, *options)


class WorkerPool:
    """At most `count` workers, started when they are needed. Use it as a scope: its end ends them.

    With `here` this process is one of them, the first that gets work: a few small kernels are compiled before another
    process has started.
    """

    def __init__(self, count: int, here: bool = False):
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._free = threading.Semaphore(count)
        self._here = threading.Semaphore(1 if here else 0)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_error) -> None:
        with self._lock:
            for worker in self._idle:
                worker.end()
            self._idle.clear()

    @contextlib.contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """In its block, `build_artifact` in this thread goes to the workers."""
        _of_thread.pool = self
        try:
            yield
        finally:
            _of_thread.pool = None

    def build(self, artifact, source: str, *options: Any):
        """The compiled artifact. Raises what the compiler has raised, wherever that was."""
        if self._here.acquire(blocking=False):
            try:
                return _build(artifact, source, *options)
            finally:
                self._here.release()
        files = {str(name): bytes(content) for name, content in fn.artifact_files(artifact).items()}
        return fn.artifact_load(self._ask((files, source, *options)))

    def _ask(self, job: tuple) -> dict[str, bytes]:
        with self._free:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            worker = worker or _Worker()
            try:
                good, answer = worker.ask(job)
            except BaseException:
                worker.end()
                raise
            with self._lock:
                self._idle.append(worker)
        if good:
            return answer
        raise translated(RuntimeError(answer))


class _Worker:
    def __init__(self):
        paths = [path or os.getcwd() for path in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tilelang.jit.workers import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def ask(self, job: tuple) -> tuple[bool, Any]:
        try:
            _send(self._process.stdin, job)
            return _receive(self._process.stdout)
        except (EOFError, OSError):
            status = self._process.wait()
            raise error_class(RuntimeError)(
                f"the process that compiled the source ended with status {status}; the kernel is too large for this "
                "machine's memory, or the process was killed"
            ) from None

    def end(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
            return
        self._process.kill()
        self._process.wait()


def _send(stream: BinaryIO, value: Any) -> None:
    content = pickle.dumps(value)
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) != length:
        raise EOFError
    return content


def serve() -> None:
    """The worker's side: answers jobs until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints is no answer
    while True:
        try:
            job = _receive(sys.stdin.buffer)
        except (EOFError, struct.error, KeyboardInterrupt):
            return
        _send(answers, _built(job))


def _built(job: tuple) -> tuple[bool, Any]:
    files, source, *options = job
    try:
        artifact = _build(fn.artifact_load(files), source, *options)
        return True, {str(name): bytes(content) for name, content in fn.artifact_files(artifact).items()}
    except Exception as error:
        return False, str(error)
