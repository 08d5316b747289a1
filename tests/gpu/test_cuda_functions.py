"""Functions of several launches: workspaces, programs that wait for each other, pointers."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest
import tilelang
import tilelang.language as T
from function_programs import check_sums, doubled, grid_rounds, numbers, reversed_sums, rounds_on_host

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def sums():
    return tilelang.compile(reversed_sums, out_idx=[1], target="cuda")


@pytest.mark.parametrize("extent", [0, 1, 255, 256, 257, 100_003, 1 << 22])
@pytest.mark.parametrize("skipped", [0, 1])
def test_workspaces_of_run_time_size(sums, extent: int, skipped: int) -> None:
    check_sums(sums, extent, skipped=skipped)


def test_workspaces_come_from_pytorch(sums) -> None:
    """Its cache serves a second call without new memory of the device."""
    a = torch.randn(1 << 20, device="cuda")
    sums(a, 1.0)
    torch.cuda.synchronize()
    reserved, before = torch.cuda.memory_reserved(), torch.cuda.memory_stats()["allocation.all.allocated"]
    for _ in range(20):
        sums(a, 1.0)
    torch.cuda.synchronize()
    assert torch.cuda.memory_reserved() == reserved
    assert torch.cuda.memory_stats()["allocation.all.allocated"] - before == 60, "an output and two workspaces a call"


def test_workspaces_in_streams_and_threads(sums) -> None:
    """Calls that are under way at once have memory of their own."""
    failures = []

    def work(seed: int) -> None:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for i in range(30):
                a = torch.full((1 << 18,), float(seed * 100 + i), device="cuda")
                b = sums(a, 3.0)
                if not (b == a * 4).all().item():
                    failures.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_workspaces_in_a_graph() -> None:
    kernel = tilelang.compile(reversed_sums, target="cuda")
    a, b = torch.randn(5000, device="cuda"), torch.empty(5000, device="cuda")
    kernel(a, b, 2.0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(a, b, 2.0)
        kernel(b, a, 1.0)
    for _ in range(5):
        a.copy_(torch.randn(5000, device="cuda"))
        expected = a.flip(0) * 2 + a
        noise = [torch.full((5000,), float("nan"), device="cuda") for _ in range(8)]
        graph.replay()
        del noise
        assert torch.equal(b, expected) and torch.equal(a, expected.flip(0) + expected)


def test_too_large_a_workspace_is_an_error_and_nothing_is_lost(sums) -> None:
    @T.prim_func
    def huge(A: T.Tensor((4,), "float32")):
        W = T.alloc_global((1 << 45,), "float32")
        with T.Kernel(1, threads=32):
            W[0] = A[0]
            A[1] = W[0]

    with pytest.raises(RuntimeError, match=r"\[TL094\]: cannot allocate a workspace of 140737488355328 bytes") as e:
        tilelang.compile(huge, target="cuda")(torch.zeros(4, device="cuda"))
    assert "says: " in str(e.value)
    check_sums(sums, 1000)


def test_workspaces_without_a_framework() -> None:
    """A call of addresses alone takes memory from the driver."""

    @T.prim_func
    def main(p: T.ptr, count: T.int32):
        A = T.make_tensor(p, (count,), "int32")
        W = T.alloc_global((count,), "int32")
        with T.Kernel(T.ceildiv(count, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < count:
                    W[bx * 128 + i] = A[count - 1 - (bx * 128 + i)]
        with T.Kernel(T.ceildiv(count, 128), threads=128) as bx:
            for i in T.Parallel(128):
                A[bx * 128 + i] = W[bx * 128 + i] + 1

    kernel = tilelang.compile(main, target="cuda")
    a = torch.arange(1000, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    for _ in range(4):
        kernel(a.data_ptr(), 1000)
    torch.cuda.synchronize()
    assert torch.equal(a, torch.arange(1000, dtype=torch.int32, device="cuda") + 4)


@pytest.mark.parametrize("per_device", [0, 1, 2])
@pytest.mark.parametrize("threads", [32, 128, 1024])
def test_programs_wait_for_each_other(per_device: int, threads: int) -> None:
    """One program, one a multiprocessor, two."""
    device = torch.cuda.get_device_properties(0)
    if per_device * threads > device.max_threads_per_multi_processor:
        pytest.skip("a GPU with room for fewer threads")
    blocks = max(1, per_device * device.multi_processor_count)
    kernel, a = tilelang.compile(grid_rounds(blocks, 25, threads), target="cuda"), numbers(blocks, threads)
    for _ in range(5):
        t = torch.from_numpy(a).cuda()
        kernel(t)
        np.testing.assert_array_equal(t.cpu().numpy(), rounds_on_host(a, 25))


def test_programs_wait_in_several_streams_at_once() -> None:
    kernel, a = tilelang.compile(grid_rounds(8, 50), target="cuda"), numbers(8)
    kernel(torch.from_numpy(a).cuda())
    torch.cuda.synchronize()
    tensors = [torch.from_numpy(a).cuda() for _ in range(12)]
    streams = [torch.cuda.Stream() for _ in range(4)]
    torch.cuda.synchronize()
    for i, tensor in enumerate(tensors):
        with torch.cuda.stream(streams[i % 4]):
            kernel(tensor)
    torch.cuda.synchronize()
    for tensor in tensors:
        np.testing.assert_array_equal(tensor.cpu().numpy(), rounds_on_host(a, 50))


def test_programs_wait_in_a_graph() -> None:
    kernel, a = tilelang.compile(grid_rounds(16, 10), target="cuda"), numbers(16)
    t = torch.from_numpy(a).cuda()
    kernel(t)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(t)
        kernel(t)
    for _ in range(3):
        t.copy_(torch.from_numpy(a))
        graph.replay()
        np.testing.assert_array_equal(t.cpu().numpy(), rounds_on_host(rounds_on_host(a, 10), 10))


def test_a_grid_that_does_not_fit_names_what_does() -> None:
    kernel = tilelang.compile(grid_rounds(100_000, 1, 1024), target="cuda")
    t = torch.zeros((100_000, 1024), dtype=torch.int32, device="cuda")
    with pytest.raises(RuntimeError, match=r"\[TL091\]: grid of main_kernel is too large for T.sync_grid") as error:
        kernel(t)
    most = int(str(error.value).split("use at most ")[1].split()[0])
    assert most % torch.cuda.get_device_properties(0).multi_processor_count == 0 and most > 0
    fits, a = tilelang.compile(grid_rounds(most, 3, 1024), target="cuda"), numbers(most, 1024)
    t = torch.from_numpy(a).cuda()
    fits(t)
    np.testing.assert_array_equal(t.cpu().numpy(), rounds_on_host(a, 3))


def test_pointers_of_every_kind() -> None:
    kernel = tilelang.compile(doubled, target="cuda")
    a, b = torch.randn(10, 100, device="cuda"), torch.zeros(10, 64, device="cuda")
    forms = (lambda t: t.data_ptr(), lambda t: ctypes.c_void_p(t.data_ptr()), lambda t: t)
    for first in forms:
        for second in forms:
            b.zero_()
            torch.cuda.synchronize()
            kernel(first(a), second(b), 10, 100)
            torch.cuda.synchronize()
            assert torch.equal(b, a[:, :64] * 2)
    kernel(a.data_ptr(), b.data_ptr(), 0, 100)
    with pytest.raises(RuntimeError, match=r"\[TL107\]"):
        kernel(None, b, 10, 100)
    with pytest.raises(RuntimeError, match=r"\[TL105\].*not aligned to its elements"):
        kernel(a.data_ptr() + 2, b, 10, 100)


def test_addresses_alone_go_to_the_current_stream() -> None:
    kernel = tilelang.compile(doubled, target="cuda")
    a, b = torch.randn(4000, 64, device="cuda"), torch.zeros(4000, 64, device="cuda")
    kernel(a.data_ptr(), b.data_ptr(), 4000, 64)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(a.data_ptr(), b.data_ptr(), 4000, 64)
    b.zero_()
    graph.replay()
    assert torch.equal(b, a * 2)


def test_pointers_that_are_not_aligned_to_vectors() -> None:
    """They take the general variant: elements one by one."""

    @T.prim_func
    def main(p: T.ptr, q: T.ptr):
        A, B = T.make_tensor(p, (4096,), "float32"), T.make_tensor(q, (4096,), "float32")
        with T.Kernel(4, threads=128) as bx:
            for i in T.Parallel(1024):
                B[bx * 1024 + i] = A[bx * 1024 + i] + 1

    kernel = tilelang.compile(main, target="cuda")
    assert len(kernel.variants) == 2
    a, b = torch.randn(5000, device="cuda"), torch.zeros(5000, device="cuda")
    for i in range(5):
        for j in range(5):
            b.zero_()
            torch.cuda.synchronize()
            kernel(a[i:].data_ptr(), b[j:].data_ptr())
            torch.cuda.synchronize()
            assert torch.equal(b[j : j + 4096], a[i : i + 4096] + 1)
            assert (b[:j] == 0).all() and (b[j + 4096 :] == 0).all()
