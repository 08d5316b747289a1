"""What the short way of a call holds and leaves: references, kernels that go while they run, threads, the interpreter's
lock."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import kernels
import pytest
import tilelang
from test_short_way import Output, error_of, loaded, long_calls, says, scale, tensors  # noqa: F401 (fixtures)
from tilelang.jit import JITKernel
from tilelang.jit.build import Request

torch = pytest.importorskip("torch")


def test_nothing_is_kept(scale, long_calls):  # noqa: F811
    a, b = tensors()
    wrong_b = torch.zeros(8, 17)
    gc.collect()
    before = [sys.getrefcount(x) for x in (a, b, scale, torch.Tensor)]
    for _ in range(500):
        scale(a, b)
        error_of(lambda: scale(a, wrong_b))
    assert len(long_calls) == 500
    long_calls.clear()
    gc.collect()
    assert [sys.getrefcount(x) for x in (a, b, scale, torch.Tensor)] == before


@pytest.mark.parametrize("out_idx", [None, [1]])
def test_a_kernel_goes_with_its_last_reference(out_idx):
    kernel = loaded(kernels.scale(), out_idx=out_idx)
    a, b = tensors()
    args = (a,) if out_idx else (a, b)
    for _ in range(2):
        kernel(*args)
    ref, function = weakref.ref(kernel), kernel.__call__
    caller = weakref.ref(kernel._caller)
    gc.disable()
    try:
        del kernel
        assert ref() is None
        for _ in range(2):
            function(*args)
        assert isinstance(error_of(lambda: function(*args, 1)), tilelang.TileLangError)
        del function
    finally:
        gc.enable()
    gc.collect()  # the error's traceback
    assert caller() is None


def test_kernels_called_and_deleted_while_one_runs(scale, long_calls, monkeypatch):  # noqa: F811
    """A print's function may do anything: the interpreter's lock is free, and the kernel is not used from Python."""
    alive = {"kernel": loaded(says())}
    alive["kernel"](torch.ones(4))
    a, b = tensors()
    ref = weakref.ref(alive["kernel"])

    def delete():
        scale(a, b)
        alive.clear()

    long_calls.clear()
    output = Output(delete)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", output)
        alive.pop("kernel")(torch.ones(4))
    assert "ran" in output.getvalue() and torch.equal(b, a * 2) and ref() is None
    assert long_calls == []


PRINTS = """
import sys
import tilelang
import tilelang.language as T
import torch
from tilelang._ffi import fn

MESSAGE = "ran" + " " * 100000  # longer than what is collected before it is written


@T.prim_func
def k(A: T.Tensor((64,), "int32")):
    with T.Kernel(64, threads=1) as bx:
        for _ in T.serial(100000):
            A[bx] = A[bx] + 1
        T.print(A[bx], msg=MESSAGE)


fn.set_thread_count(4)
kernel = tilelang.compile(k, target="c")
for _ in range(10):
    kernel(torch.zeros(64, dtype=torch.int32))
"""


def test_the_interpreter_is_free_while_a_kernel_runs(tmp_path):
    """Threads of the pool print while the caller waits for them."""
    (tmp_path / "prints.py").write_text(PRINTS)
    command = [sys.executable, str(tmp_path / "prints.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count("ran") == 640, done.stderr


def test_threads(scale, long_calls):  # noqa: F811
    """Calls from several threads, of which some are wrong, with a kernel that is loaded and deleted beside them."""
    failures = []

    def work(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        try:
            for i in range(200):
                a, b = torch.rand(8, 16, generator=generator), torch.zeros(8, 16)
                scale(a, b)
                assert torch.equal(b, a * 2)
                if i % 20 == 0:
                    assert "shape[1]" in str(error_of(lambda a=a: scale(a, torch.zeros(8, 17))))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    request = Request.of(kernels.scale(), target="c")
    for _ in range(20):
        kernel = JITKernel._loaded(request, scale.artifact)
        a, b = tensors()
        kernel(a, b)
        assert torch.equal(b, a * 2)
        del kernel
    for thread in threads:
        thread.join()
    assert failures == []
