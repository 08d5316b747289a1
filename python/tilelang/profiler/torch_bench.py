"""Timing on a CUDA device with what PyTorch has for it: its profiler, and CUDA graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from tilelang.logger import logger

from .event import TorchClock, bench_event, estimate, timed_runs
from .statistics_of import Schedule, summary

__all__ = ["bench_cudagraph", "bench_cupti"]

_REPLAYS = 10


def bench_cudagraph(fn: Callable[[], Any], schedule: Schedule, device: Any) -> float | list[float]:
    """Milliseconds of `fn()` in a CUDA graph of several calls, replayed ten times with flushed caches."""
    import torch

    clock = TorchClock(device, schedule.cache_size)
    with clock.scope():
        expected = estimate(fn, clock)
        if schedule.too_slow(expected):
            return expected
        _warm_ups, repeats = schedule.counts(expected)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(repeats):
                fn()
        graph.replay()
        times = [time / repeats for time in timed_runs(graph.replay, _REPLAYS, clock)]
    return summary(times, schedule.quantiles, schedule.return_mode)


def bench_cupti(fn: Callable[[], Any], schedule: Schedule, device: Any) -> float | list[float]:
    """Mean milliseconds of the kernels of `fn()`, the flushes between the runs left out.

    Where PyTorch's profiler sees no kernel (CUPTI missing, or in use by another profiler) this says so and measures
    with events.
    """
    clock = TorchClock(device, schedule.cache_size)
    with clock.scope():
        expected = estimate(fn, clock)
        if schedule.too_slow(expected):
            return expected
        warm_ups, repeats = schedule.counts(expected)
        for _ in range(warm_ups):
            fn()

        def flushed():
            clock.flush()
            fn()

        both, flushes = _kernel_milliseconds(flushed, repeats), _kernel_milliseconds(clock.flush, repeats)
    # A kernel of the call may have the name of one of the flush: only the flush's time is taken off.
    mean = sum(max(0.0, total - flushes.get(name, 0.0)) for name, total in both.items()) / repeats
    if mean > 0:
        return mean
    logger.warning("PyTorch's profiler has seen no kernel (is CUPTI there?): measuring with events")
    return bench_event(fn, schedule, device)


def _kernel_milliseconds(fn: Callable[[], Any], repeats: int) -> dict[str, float]:
    """Device time of `repeats` calls, by the names of kernels and memory operations."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(repeats):
            fn()
        torch.cuda.synchronize()
    found: dict[str, float] = defaultdict(float)
    for event in profiler.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            found[event.name] += event.time_range.elapsed_us() / 1e3
    return dict(found)
