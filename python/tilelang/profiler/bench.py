"""`do_bench`: how long a call takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tilelang.errors import error_class

__all__ = ["do_bench"]

BACKENDS = ("event", "cupti", "cudagraph", "wall", "msprof", "msprof_detail")
_MODES = ("min", "max", "mean", "median")
_ESTIMATE_RUNS = 5
# With caches flushed: runs in any case, and the time that the runs with their flushes may take, in units of `rep`.
_FLUSHED_RUNS = 20
_FLUSHED_REPS = 10


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    _n_warmup: int = 0,
    _n_repeat: int = 0,
    quantiles: list[float] | None = None,
    fast_flush: bool = True,
    backend: str = "event",
    return_mode: str = "mean",
    device: Any = None,
    cache_size: int = 256,
    early_stop_baseline: float | None = None,
) -> float | list[float]:
    """Milliseconds of `fn()`.

    Runs once, estimates over five runs, warms up for about `warmup` ms and measures for about `rep` ms, or as many runs
    as fit into ten times that with the flushes (`_n_warmup` and `_n_repeat` give numbers of runs instead). The caches
    are flushed by `cache_size` MB before each measured run. With `quantiles` those are returned, else what
    `return_mode` says. Where the estimate is above `early_stop_baseline`, it is the result. `backend="wall"` is the
    clock of the host; the others need a device. Raises `ValueError` for an unknown backend or mode, `RuntimeError`
    where there is no device.
    """
    if return_mode not in _MODES:
        raise error_class(ValueError)(f"Invalid return_mode: {return_mode}. Must be one of: {', '.join(_MODES)}")
    if backend not in BACKENDS:
        raise error_class(ValueError)(f"Unknown profiler backend: {backend}. Must be one of: {', '.join(BACKENDS)}")
    if backend == "event":
        raise error_class(RuntimeError)("No device is available: on the host measure with backend='wall'")
    if backend != "wall":
        raise error_class(ValueError)(f"{backend} timing requires CUDA/HIP: on the host measure with backend='wall'")
    return _bench_on_host(
        fn, warmup, rep, _n_warmup, _n_repeat, quantiles, return_mode, _Flush(cache_size), early_stop_baseline
    )


class _Flush:
    """Writes to more memory than the caches hold."""

    def __init__(self, megabytes: int):
        self._buffer = bytearray(max(0, megabytes) << 20)
        self._value = 0

    def __call__(self) -> None:
        self._value ^= 1
        page = bytes([self._value]) * (1 << 20)
        for at in range(0, len(self._buffer), len(page)):
            self._buffer[at : at + len(page)] = page


def _run_milliseconds(fn: Callable[[], Any]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


def _bench_on_host(fn, warmup, rep, n_warmup, n_repeat, quantiles, return_mode, flush, baseline):
    fn()
    times, flush_times = [], []
    for _ in range(_ESTIMATE_RUNS):
        flush_times.append(_run_milliseconds(flush))
        times.append(_run_milliseconds(fn))
    estimate = sum(times) / len(times)
    if baseline is not None and estimate > baseline:
        return estimate
    per_run = max(estimate, 1e-6)
    for _ in range(n_warmup or max(1, int(warmup / per_run))):
        fn()
    times = []
    # A flush takes far longer than a small kernel: the whole stays within some multiples of `rep`.
    within = max(_FLUSHED_RUNS, int(_FLUSHED_REPS * rep / (per_run + min(flush_times))))
    for _ in range(n_repeat or min(max(1, int(rep / per_run)), within)):
        flush()
        times.append(_run_milliseconds(fn))
    return summary(times, quantiles, return_mode)


def summary(times: list[float], quantiles: list[float] | None, return_mode: str) -> float | list[float]:
    """One number, or one for each quantile where there are several."""
    ordered = sorted(times)
    if quantiles is not None:
        found = [_quantile(ordered, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "mean":
        return sum(times) / len(times)
    return {"min": ordered[0], "max": ordered[-1], "median": _quantile(ordered, 0.5)}[return_mode]


def _quantile(ordered: list[float], q: float) -> float:
    """With linear interpolation, as NumPy's."""
    at = q * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
