"""Timing with the clock of the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .statistics_of import Schedule, summary

__all__ = ["bench_wall"]

_ESTIMATE_RUNS = 5
# With caches flushed: runs in any case, and the time that the runs with their flushes may take, in units of `rep`.
_FLUSHED_RUNS = 20
_FLUSHED_REPS = 10


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


def bench_wall(fn: Callable[[], Any], schedule: Schedule) -> float | list[float]:
    """Milliseconds of `fn()` by the host's clock, with the processor's caches flushed before each run."""
    fn()
    flush = _Flush(schedule.cache_size)
    times, flush_times = [], []
    for _ in range(_ESTIMATE_RUNS):
        flush_times.append(_run_milliseconds(flush))
        times.append(_run_milliseconds(fn))
    estimate = sum(times) / len(times)
    if schedule.too_slow(estimate):
        return estimate
    warm_ups, repeats = schedule.counts(estimate)
    for _ in range(warm_ups):
        fn()
    times = []
    if not schedule.n_repeat:
        # A flush takes far longer than a small kernel: the whole stays within some multiples of `rep`.
        per_run = max(estimate, 1e-6) + min(flush_times)
        repeats = min(repeats, max(_FLUSHED_RUNS, int(_FLUSHED_REPS * schedule.rep / per_run)))
    for _ in range(repeats):
        flush()
        times.append(_run_milliseconds(fn))
    return summary(times, schedule.quantiles, schedule.return_mode)
