"""Tensors that begin anywhere in their memory: the general variant of a kernel, compiled by the first call with one."""

from __future__ import annotations

import pytest
import tilelang
from device_programs import add, rows_plus_one

torch = pytest.importorskip("torch")

N = 1003


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tensors_that_start_anywhere(dtype):
    """Views that begin behind the start of their memory take the general variant."""
    kernel = tilelang.compile(add(N, dtype))  # rows of 1024 elements are aligned
    assert kernel.variants == ["tensors aligned to 16 bytes", "general"]
    memory = torch.randn(3, N + 21, device="cuda").to(getattr(torch, dtype))
    for skipped in ((0, 0, 0), (1, 1, 1), (0, 0, 1), (3, 0, 0), (0, 2, 4), (8, 8, 8)):
        a, b, c = (row[at : at + N] for row, at in zip(memory.clone(), skipped))
        kernel(a, b, c)
        assert torch.equal(c, a + b), skipped
    assert {row["variant"] for row in kernel.resource_usage.values()} == set(kernel.variants)


@pytest.mark.parametrize("n", [1003, 1024])
def test_rows_that_start_anywhere(n):
    """Rows of 1003 elements lie unaligned behind one another, those of 1024 where the first does."""
    kernel, memory = tilelang.compile(rows_plus_one(37, n)), torch.randn(37 * n + 1, device="cuda")
    for x in (memory[:-1], memory[1:]):
        x = x.view(37, n)
        y = torch.full_like(x, float("nan"))
        kernel(x, y)
        assert torch.equal(y, x + 1)


def test_nothing_around_an_unaligned_tensor_is_written():
    kernel, memory = tilelang.compile(add(N)), torch.full((3, N + 21), 7.0, device="cuda")
    a, b, c = (row[1 : N + 1] for row in memory)
    a.normal_(), b.normal_()
    kernel(a, b, c)
    assert torch.equal(c, a + b)
    assert bool((memory[:, 0] == 7).all()) and bool((memory[:, N + 1 :] == 7).all())


def test_a_variant_in_a_capture_is_compiled_before_it():
    fresh = tilelang.compile(add(1239))
    memory = torch.randn(3, 1240, device="cuda")
    fresh(*(torch.randn(1239, device="cuda") for _ in range(3)))
    unaligned = [row[1:] for row in memory]
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="captur"), torch.cuda.graph(graph):
        fresh(*unaligned)
    torch.cuda.synchronize()
    fresh(*unaligned)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fresh(*unaligned)
    unaligned[2].zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(unaligned[2], unaligned[0] + unaligned[1])
