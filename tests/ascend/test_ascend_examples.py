"""The examples for Ascend 950 in the simulator, which reports nothing, at sizes that divide nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T

from examples.ascend import gemm, rmsnorm, softmax, vector_add

TARGETS = ["ascend", "interpret"]


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 4096, 65536, 100_003])
def test_vector_add(size: int, stages: int) -> None:
    vector_add.check(size, num_stages=stages)


def test_vector_add_of_millions() -> None:
    vector_add.check(1 << 22)
    vector_add.check(1_000_003)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(1, 7), (37, 129), (64, 1000), (16, 4096)])
def test_rows(shape: tuple[int, int], target: str) -> None:
    softmax.check(*shape, target=target)
    rmsnorm.check(*shape, target=target)


@pytest.mark.parametrize("threads", [1, 32, 33, 96, 1024, 2048])
def test_any_number_of_threads(threads: int) -> None:
    softmax.check(21, 200, threads=threads)
    vector_add.check(10_000, threads=threads)


@pytest.mark.parametrize("shape", [(1024, 1024, 1024), (130, 260, 64), (1, 1, 1), (128, 256, 100), (129, 300, 65)])
def test_products(shape: tuple[int, int, int]) -> None:
    gemm.check(*shape)


@pytest.mark.parametrize("tiles", [(64, 64, 128), (16, 16, 16), (128, 128, 512), (256, 128, 64), (32, 256, 96)])
def test_products_of_other_tiles(tiles: tuple[int, int, int]) -> None:
    m, n, k = tiles
    gemm.check(200, 300, 270, block_M=m, block_N=n, block_K=k, num_stages=2)


@pytest.mark.parametrize("cores", [1, 3, 8])
def test_persistent_products(cores: int) -> None:
    gemm.check(300, 700, 200, make=gemm.persistent_gemm, num_cores=cores)


def test_products_mean_what_the_simulator_computes() -> None:
    gemm.check(130, 260, 70, target="interpret")
    gemm.check(130, 260, 70, make=gemm.persistent_gemm, target="interpret")


@pytest.mark.parametrize(("n", "cores"), [(40_960, 1), (40_000, 1), (40_000, 3)])
def test_a_timeline_shows_engines_at_work_at_once(
    n: int, cores: int, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next tile is loaded while threads add the one before; also where threads fill the tails of tiles."""
    monkeypatch.setenv("TL_ASCEND_TIMELINE", str(tmp_path / "timeline.json"))
    vector_add.check(n, num_blocks=cores, tile=2048)
    events = [e for e in json.loads((tmp_path / "timeline.json").read_text())["traceEvents"] if e["ph"] == "X"]
    loads = [e for e in events if e["name"] == "asc_copy_gm2ub_align"]
    adds = [e for e in events if e["name"].startswith("asc_vf_call")]
    assert len(loads) == 40 and len(adds) >= 20
    together = [
        (a, b)
        for a in adds
        for b in loads
        if a["pid"] == b["pid"] and a["ts"] < b["ts"] + b["dur"] and b["ts"] < a["ts"] + a["dur"]
    ]
    assert len(together) >= 15


def test_buffers_that_never_live_together_share_bytes() -> None:
    """Three tiles of 100 KiB, of which the unified buffer holds two."""
    n = 25_600

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((n,), "float32")
            b = T.alloc_shared((n,), "float32")
            c = T.alloc_shared((n,), "float32")
            T.copy(A, a)
            with T.SimtVF(threads=256):
                for i in T.Parallel(n):
                    b[i] = a[i] * 2
            T.copy(b, B)
            T.copy(B, c)
            with T.SimtVF(threads=256):
                for i in T.Parallel(n):
                    c[i] = c[i] + 1
            T.copy(c, C)

    a = np.random.default_rng().standard_normal(n, dtype=np.float32)
    b, c = np.zeros_like(a), np.zeros_like(a)
    tilelang.compile(main, target="ascend")(a, b, c)
    assert np.array_equal(b, a * 2) and np.array_equal(c, a * 2 + 1)


def test_a_program_that_does_not_fit_is_told_what_takes_how_much() -> None:
    @T.prim_func
    def main(A: T.Tensor((60_000,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((60_000,), "float32")
            T.copy(A, a)
            T.copy(a, A)

    with pytest.raises(tilelang.TileLangError, match=r"TL091.*240000 bytes of UB") as error:
        tilelang.compile(main, target="ascend")
    assert "`a` takes 240000 bytes" in str(error.value)
