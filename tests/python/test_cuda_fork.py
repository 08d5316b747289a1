"""What becomes of CUDA kernels in a forked child, on a machine that need not have a device."""

from __future__ import annotations

import functools
import os

import pytest
from tilelang.backend import cuda, cuda_fork


class Kernel:
    """Has what `follow` touches of a kernel."""

    def __init__(self):
        self._run = self._extents = lambda *_: "ran"


def in_child(call) -> str:
    """What `call` gives, or raises, in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = call()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


@pytest.fixture
def devices(monkeypatch):
    """`devices(count)`: so many are there; they are not asked for yet."""

    def make(count: int):
        found = tuple(cuda.Device(i, "H200", "sm_90", "sm_90a", 1 << 30) for i in range(count))
        monkeypatch.setattr(cuda, "devices", functools.cache(lambda: found))

    return make


def later() -> str:
    kernel = Kernel()
    cuda_fork.follow(kernel)
    return kernel._run()


def test_after_the_driver_was_started(devices):
    devices(1)
    kernel = Kernel()
    cuda_fork.follow(kernel)
    assert cuda.devices()
    for call in (lambda: kernel._run(), lambda: kernel._extents(), later):
        text = in_child(call)
        assert text.startswith("TileLangRuntimeError: CUDA cannot be used in a child made by fork") and "spawn" in text
    assert kernel._run() == later() == "ran", "the parent goes on"


@pytest.mark.parametrize("count", [0, 1])
def test_before_the_driver_was_started(devices, count):
    devices(count)
    kernel = Kernel()
    cuda_fork.follow(kernel)
    if not count:
        assert cuda.devices() == ()
    assert in_child(lambda: kernel._run()) == in_child(later) == "ran"
