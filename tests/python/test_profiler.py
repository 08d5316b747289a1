"""`do_bench` and `Profiler` on a machine without a device: arguments, statistics, the clock of the host."""

from __future__ import annotations

import functools
import time

import kernels
import pytest
import tilelang
from tilelang.backend import cuda
from tilelang.profiler import do_bench
from tilelang.profiler.statistics_of import Schedule, summary


@pytest.fixture(autouse=True)
def no_device(monkeypatch):
    monkeypatch.setattr(cuda, "devices", functools.cache(lambda: ()))


def nothing():
    pass


WRONG = [
    (ValueError, "Unknown profiler backend: sundial", {"backend": "sundial"}),
    (ValueError, "Invalid return_mode: sum. Must be one of: min, max, mean, median", {"return_mode": "sum"}),
    (RuntimeError, "No device is available", {}),
    (RuntimeError, "No device is available", {"backend": "event"}),
    (ValueError, "cupti timing requires CUDA/HIP", {"backend": "cupti"}),
    (ValueError, "cudagraph timing requires CUDA/HIP", {"backend": "cudagraph"}),
    (ValueError, "msprof timing requires an Ascend device", {"backend": "msprof"}),
]


@pytest.mark.parametrize(("kind", "message", "options"), WRONG, ids=[str(options) for *_, options in WRONG])
def test_wrong_arguments(kind, message, options):
    with pytest.raises(kind, match=message):
        do_bench(nothing, **options)


@pytest.mark.parametrize("backend", ["cupti", "cudagraph"])
def test_backends_that_need_pytorch_with_cuda(monkeypatch, backend):
    monkeypatch.setattr(cuda, "devices", lambda: (cuda.Device(0, "H200", "sm_90", "sm_90a", 1 << 30),))
    monkeypatch.setattr("tilelang.profiler.bench._has_torch", lambda: False)
    with pytest.raises(ValueError, match=f"{backend} timing requires PyTorch with CUDA"):
        do_bench(nothing, backend=backend)


def test_the_hosts_clock():
    calls = []

    def sleeps():
        calls.append(None)
        time.sleep(0.002)

    found = do_bench(sleeps, backend="wall", _n_warmup=2, _n_repeat=7, cache_size=1)
    assert found >= 2 and len(calls) == 1 + 5 + 2 + 7
    quarters = do_bench(sleeps, backend="wall", _n_warmup=1, _n_repeat=5, cache_size=0, quantiles=[0.25, 0.5, 0.75])
    assert quarters == sorted(quarters) and len(quarters) == 3


def test_early_stop_gives_the_estimate():
    calls = []
    assert do_bench(lambda: calls.append(time.sleep(0.001)), backend="wall", early_stop_baseline=0.5, cache_size=1) >= 1
    assert len(calls) == 6


def test_counts():
    assert Schedule(warmup=25, rep=100).counts(2.0) == (12, 50)
    assert Schedule(warmup=25, rep=100).counts(1e6) == (1, 1)
    assert Schedule(n_warmup=3, n_repeat=4).counts(1e-9) == (3, 4)
    assert Schedule(early_stop_baseline=1.0).too_slow(1.5) and not Schedule().too_slow(1e9)


def test_summaries():
    times = [4.0, 1.0, 3.0, 2.0]
    assert [summary(times, None, mode) for mode in ("min", "max", "mean", "median")] == [1.0, 4.0, 2.5, 2.5]
    assert summary(times, [0.5], "mean") == 2.5
    assert summary(times, [0.0, 1 / 3, 1.0], "mean") == pytest.approx([1.0, 2.0, 4.0])


def test_a_profiler_of_a_host_kernel_uses_the_hosts_clock():
    pytest.importorskip("torch")
    kernel = tilelang.compile(kernels.scale(8, 8), out_idx=[1], target="c")
    profiler = kernel.get_profiler()
    assert profiler.do_bench(n_warmup=1, n_repeat=3) > 0
    assert all(tensor.device.type == "cpu" for tensor in profiler._get_inputs())
    profiler.assert_allclose(lambda a: a * 2)
    with pytest.raises(AssertionError, match="Too many mismatched elements"):
        profiler.assert_allclose(lambda a: a * 2 + 1)
