"""Functions of several launches on two devices: everything follows the arguments to theirs."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import tilelang
from function_programs import check_sums, doubled, grid_rounds, numbers, reversed_sums, rounds_on_host

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.device_count() < 2, reason="needs two CUDA devices"
)


@pytest.fixture(scope="module")
def sums():
    return tilelang.compile(reversed_sums, out_idx=[1], target="cuda")


@pytest.mark.parametrize("current", [0, 1])
def test_everything_follows_the_inputs_to_their_device(sums, current: int) -> None:
    """Whichever device is current: it stays so, and no memory of the other is touched."""
    rounds, a = tilelang.compile(grid_rounds(16, 10), target="cuda"), numbers(16)
    torch.cuda.set_device(current)
    try:
        for device in ("cuda:1", "cuda:0", "cuda:1"):
            other = torch.device("cuda:0" if device == "cuda:1" else "cuda:1")
            torch.cuda.synchronize(other)
            before = torch.cuda.memory_stats(other)["allocation.all.allocated"]
            check_sums(sums, 10_000, device)
            t = torch.from_numpy(a).to(device)
            rounds(t)
            np.testing.assert_array_equal(t.cpu().numpy(), rounds_on_host(a, 10))
            assert torch.cuda.current_device() == current
            assert torch.cuda.memory_stats(other)["allocation.all.allocated"] == before
    finally:
        torch.cuda.set_device(0)


def test_pointers_run_on_the_current_device() -> None:
    kernel = tilelang.compile(doubled, target="cuda")
    for device in (1, 0, 1):
        with torch.cuda.device(device):
            a, b = torch.randn(10, 64, device=device), torch.zeros(10, 64, device=device)
            torch.cuda.synchronize()
            kernel(a.data_ptr(), b.data_ptr(), 10, 64)
            torch.cuda.synchronize()
            assert torch.equal(b, a * 2)


def test_devices_at_once(sums) -> None:
    """Threads that call one kernel, each on a device of its own, from the first call on."""
    failures = []
    fresh = tilelang.compile(grid_rounds(12, 20), target="cuda")
    a = numbers(12)

    def work(device: int) -> None:
        torch.cuda.set_device(device)
        for _ in range(20):
            x, t = torch.randn(5000, device="cuda"), torch.from_numpy(a).cuda()
            fresh(t)
            if not torch.equal(sums(x, 2.0), x.flip(0) * 2 + x):
                failures.append(("sums", device))
            if not np.array_equal(t.cpu().numpy(), rounds_on_host(a, 20)):
                failures.append(("rounds", device))

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_graph_of_each_device() -> None:
    kernel = tilelang.compile(reversed_sums, target="cuda")
    graphs = []
    for device in (0, 1):
        with torch.cuda.device(device):
            a, b = torch.randn(3000, device="cuda"), torch.empty(3000, device="cuda")
            kernel(a, b, 2.0)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            # PyTorch's own stream for captures is of the device that was captured first.
            with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
                kernel(a, b, 2.0)
            graphs.append((graph, a, b))
    for graph, a, b in graphs * 2:
        with torch.cuda.device(a.device):
            b.zero_()
            graph.replay()
        assert torch.equal(b, a.flip(0) * 2 + a)


def test_pointers_of_two_devices_are_refused_where_they_can_be_told_apart() -> None:
    kernel = tilelang.compile(doubled, target="cuda")
    a, b = torch.randn(10, 64, device="cuda:0"), torch.zeros(10, 64, device="cuda:1")
    with pytest.raises(RuntimeError, match=r"\[TL106\]"):
        kernel(a, b, 10, 64)
