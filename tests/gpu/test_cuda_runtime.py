"""Calls on a CUDA device: streams, graphs, outputs, several devices, errors and what comes after them."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
import tilelang
import tilelang.language as T
from device_programs import add, doubled, dynamic_scale, grid, grid_of_the_call, many_steps
from tilelang.jit.call import Caller

torch = pytest.importorskip("torch")

two_devices = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.device_count() < 2, reason="needs two CUDA devices"
)
N = 1003


def vectors(device="cuda", n=N):
    return tuple(torch.randn(n, device=device) for _ in range(3))


@pytest.fixture(scope="module")
def kernel():
    return tilelang.compile(add(N), target="cuda")


def check(kernel, device="cuda"):
    a, b, c = vectors(device)
    kernel(a, b, c)
    assert torch.equal(c, a + b)


# --- outputs ---


def test_outputs_lie_where_the_inputs_do():
    a, b, _ = vectors()
    kernel = tilelang.compile(add(N), out_idx=[2])
    c = kernel(a, b)
    assert c.device == a.device and c.dtype == a.dtype and torch.equal(c, a + b)
    assert torch.equal(doubled(a), a * 2) and doubled(a).device == a.device


def test_an_output_without_inputs():
    @T.prim_func
    def ones(A: T.Tensor((100,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(100):
                A[i] = 1.0

    found = tilelang.compile(ones, out_idx=[0])()
    assert found.device.type == "cuda" and bool((found == 1).all())


def test_outputs_of_symbolic_size():
    a = torch.randn(777, device="cuda")
    found = tilelang.compile(dynamic_scale(), out_idx=[2])(a, 3.0)
    assert torch.equal(found, a * 3)


def test_eager_kernels_follow_their_arguments(monkeypatch):
    """Where the target is left open, arrays of the host mean the host."""
    monkeypatch.delenv("TILELANG_TARGET")
    a = np.arange(50, dtype=np.float32)
    assert (doubled(a) == 2 * a).all()
    t = torch.from_numpy(a)
    assert torch.equal(doubled(t), 2 * t) and torch.equal(doubled(t.cuda()), 2 * t.cuda())


# --- streams and graphs ---


def test_the_current_stream_is_used():
    """The second kernel reads what the first, of tens of milliseconds, writes in the same stream."""
    slow, fast = tilelang.compile(many_steps(N, 8_000_000)), tilelang.compile(add(N))
    a, b, c = (torch.zeros(N, device="cuda") for _ in range(3))
    slow(a, b), fast(a, a, c)  # loads both
    b.zero_(), c.zero_()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        slow(a, b)
        fast(b, b, c)
        assert not stream.query(), "a call returns before its kernel ends"
        copied = c.clone()
    stream.synchronize()
    assert torch.allclose(copied, torch.full_like(c, 4.0))


def test_the_short_way_uses_the_current_stream_and_can_be_captured(kernel, monkeypatch):
    check(kernel)  # PyTorch's tensors are known now

    def refuse(*_args):
        raise AssertionError("the long way")

    monkeypatch.setattr(Caller, "call", refuse)
    short = tilelang.JITKernel(add(N), target="cuda")
    a, b, c = vectors()
    short(a, b, c)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    c.zero_()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        short(a, b, c)
        assert not stream.query() and torch.cuda.default_stream().query()
    torch.cuda.synchronize()
    assert torch.equal(c, a + b)
    with torch.cuda.graph(graph):
        short(a, b, c)
    c.zero_()
    graph.replay()
    assert torch.equal(c, a + b)


def test_graph_capture(kernel):
    a, b, c = vectors()
    kernel(a, b, c)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(a, b, c)
        kernel(c, b, c)
    for _ in range(3):
        a.normal_(), b.normal_(), c.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(c, a + b + b)


def test_capture_of_a_kernel_that_is_not_loaded_is_a_clear_error_or_works():
    fresh = tilelang.compile(add(1237))
    a, b, c = vectors(n=1237)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            fresh(a, b, c)
    except RuntimeError as error:
        assert re.search("captur", str(error), re.IGNORECASE), error
        torch.cuda.synchronize()
    else:
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(c, a + b)
    fresh(a, b, c)
    assert torch.equal(c, a + b)


# --- several devices ---


@two_devices
def test_each_device_in_turn(kernel):
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        check(kernel, device)
        a = torch.randn(N, device=device)
        assert doubled(a).device == a.device and torch.equal(doubled(a), a * 2)


@two_devices
def test_arguments_on_different_devices(kernel):
    a, b, c = vectors("cuda:0")
    with pytest.raises(RuntimeError, match="device") as caught:
        kernel(a, b.to("cuda:1"), c)
    assert "0" in str(caught.value) and "1" in str(caught.value)
    check(kernel)


# --- wrong arguments ---

WRONG = {
    "host tensor": (lambda a, b, c: (a.cpu(), b, c), "device_type mismatch, expected cuda"),
    "numpy array": (lambda a, b, c: (a.cpu().numpy(), b, c), "device_type mismatch, expected cuda"),
    "dtype": (lambda a, b, c: (a.double(), b, c), "dtype mismatch, expected float32"),
    "shape": (lambda a, b, c: (a[:-1], b, c), r"shape\[0\]"),
    "rank": (lambda a, b, c: (a[None], b, c), "ndim mismatch, expected 1"),
    "strides": (lambda a, b, c: (torch.randn(2 * N, device="cuda")[::2], b, c), "strides"),
    "none": (lambda a, b, c: (None, b, c), "non-NULL"),
    "list": (lambda a, b, c: ([1.0], b, c), "expected pointer or tensor handle"),
    "count": (lambda a, b, c: (a, b), "3 inputs"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused_and_nothing_is_lost(kernel, case):
    change, message = WRONG[case]
    a, b, c = vectors()
    c.fill_(5)
    with pytest.raises((RuntimeError, ValueError), match=message) as caught:
        kernel(*change(a, b, c))
    assert isinstance(caught.value, tilelang.TileLangError)
    assert bool((c == 5).all())
    check(kernel)


def test_host_tensors_with_an_output():
    kernel = tilelang.compile(add(N), out_idx=[2])
    a, b, _ = vectors("cpu")
    with pytest.raises(RuntimeError, match="device"):
        kernel(a, b)


def test_too_many_threads(kernel):
    with pytest.raises((RuntimeError, ValueError)) as caught:
        tilelang.compile(add(N, threads=2048, block=2048))
    assert isinstance(caught.value, tilelang.TileLangError) and "1024" in str(caught.value)
    check(kernel)


def test_too_much_shared_memory(kernel):
    @T.prim_func
    def large(A: T.Tensor((1024, 1024), "float32")):
        with T.Kernel(1, threads=128):
            tile = T.alloc_shared((1024, 1024), "float32")
            T.copy(A, tile)
            for i, j in T.Parallel(1024, 1024):
                A[i, j] = tile[j, i]

    with pytest.raises(RuntimeError) as caught:
        tilelang.compile(large)
    assert isinstance(caught.value, tilelang.TileLangError)
    check(kernel)


def test_a_launch_that_fails_does_not_end_the_process(kernel):
    """The y extent of a grid is at most 65535."""
    wrong = tilelang.compile(grid_of_the_call())
    a = torch.zeros(64, device="cuda")
    with pytest.raises(RuntimeError, match=r"\[TL091\].*70000") as caught:
        wrong(a, 70_000)
    assert isinstance(caught.value, tilelang.TileLangError)
    with pytest.raises(RuntimeError, match=r"\[TL091\].*70000"):
        tilelang.compile(grid(1, 70_000))
    torch.cuda.synchronize()
    tilelang.compile(grid(2, 3))(a)
    assert bool((a == 1).all())
    check(kernel)


def test_another_architecture_is_refused(kernel):
    major, _minor = torch.cuda.get_device_capability()
    other = "sm_80" if major != 8 else "sm_90a"
    wrong = tilelang.compile(add(N), target={"kind": "cuda", "arch": other})
    a, b, c = vectors()
    if major > 8 and other == "sm_80":
        with pytest.raises(RuntimeError, match=r"sm_80"):
            wrong(a, b, c)
    check(kernel)


# --- after a fork ---


def test_a_forked_child_gets_a_clear_error(kernel):
    check(kernel)
    torch.cuda.synchronize()
    a, b, c = vectors()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            kernel(a, b, c)
            text = "no error"
        except Exception as error:
            text = str(error)
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    assert re.search("fork", text), text


# --- arrays of other libraries ---


def test_cupy_arrays_and_streams(kernel):
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Stream(non_blocking=True):
        a, b = cupy.random.rand(2, N, dtype=cupy.float32)
        c = cupy.empty_like(a)
        kernel(a, b, c)
        assert bool((c == a + b).all())
        made = tilelang.compile(add(N), out_idx=[2])(a, b)
        assert isinstance(made, cupy.ndarray) and bool((made == a + b).all())


def test_jax_arrays(kernel):
    jax = pytest.importorskip("jax")
    a, b = jax.random.uniform(jax.random.key(0), (2, N))
    made = tilelang.compile(add(N), out_idx=[2])(a, b)
    torch.cuda.synchronize()
    assert isinstance(made, jax.Array) and bool((made == a + b).all())
