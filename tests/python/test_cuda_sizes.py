"""Kernels over run-time sizes on CUDA: what their variants rest on, and what is told of kernels without registers."""

from __future__ import annotations

import re
import sys

import pytest
import tilelang
import tilelang.language as T
from source_tree import ROOT
from tilelang.testing import requires_cuda

sys.path.insert(0, str(ROOT / "tests" / "gpu"))
import sized_programs as programs

pytest_plugins = ["cache_fixtures"]
pytestmark = requires_cuda.marks("compile-only")
TARGET = {"kind": "cuda", "arch": "sm_90a"}
SMALL = "sizes below 2^31"


@pytest.mark.parametrize(
    ("function", "rests_on"),
    [
        (programs.add(), f"tensors aligned to 16 bytes, n % 4 == 0, {SMALL}, tensors apart"),
        (programs.add("float16"), f"tensors aligned to 16 bytes, n % 8 == 0, {SMALL}, tensors apart"),
        (programs.scaled_rows(), f"tensors aligned to 16 bytes, column == 1, row % 4 == 0, n % 4 == 0, {SMALL}"),
        (programs.gemm(136, 200), f"tensors aligned to 16 bytes, {SMALL}"),
        (programs.gemm_all(), f"tensors aligned to 16 bytes, k % 4 == 0, n % 4 == 0, {SMALL}"),
        (programs.rmsnorm(), f"tensors aligned to 16 bytes, n % 8 == 0, {SMALL}"),
        (programs.rmsnorm_rows(4096), f"tensors aligned to 16 bytes, {SMALL}"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_variants_of_sizes(function, rests_on):
    """The first variant moves 16 bytes at a time and counts in 32 bits; the general one takes everything."""
    kernel = tilelang.compile(function, target=TARGET)
    assert kernel.variants == [rests_on, "general"]
    fast, general = kernel.get_kernel_source(variant=0), kernel.get_kernel_source(variant=1)
    assert "copy<" in fast or "copy_async<" in fast
    body = fast[fast.index('extern "C"') :]
    assert "i64" not in body, body
    assert "i64" in general[general.index('extern "C"') :]
    assert kernel.n_spills == 0
    assert f'variant "{rests_on}" if ' in kernel.get_host_source()


def large_tile(rows: int, threads: int):
    @T.prim_func
    def tile_kernel(A: T.Tensor((64, rows, 512), "float32"), B: T.Tensor((64, rows, 512), "float32")):
        with T.Kernel(64, threads=threads) as bx:
            tile = T.alloc_fragment((rows, 512), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(A[bx, 0, 0], tile)
            T.reduce_sum(tile, total, dim=1)
            for i, j in T.Parallel(rows, 512):
                tile[i, j] = tile[i, j] / total[i]
            T.copy(tile, B[bx, 0, 0])

    return tile_kernel


@pytest.mark.parametrize(("rows", "threads", "told"), [(16, 128, False), (128, 128, True), (128, 1024, True)])
def test_a_tile_larger_than_the_registers_is_told(cache, caplog, rows, threads, told):
    kernel = tilelang.compile(large_tile(rows, threads), target=TARGET)
    assert bool(kernel.n_spills) == told
    assert caplog.text.count("warning[TL091]") == told
    if told:
        taken, there = map(int, re.search(r"take (\d+) registers, of the (\d+) that", caplog.text).groups())
        assert rows * 512 // threads < taken <= rows * 512 // threads + rows
        assert there == min(255, 65536 // threads)
        assert "`tile`, the largest, takes" in caplog.text and "test_cuda_sizes.py" in caplog.text
        assert 'tile = T.alloc_fragment((rows, 512), "float32")' in caplog.text
