"""Timing on a CUDA device by events: PyTorch's, or the driver's where PyTorch is not there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from .statistics_of import Schedule, summary

__all__ = ["bench_event"]

_ESTIMATE_RUNS = 5


class Clock(Protocol):
    """Times calls on a device."""

    def scope(self) -> contextlib.AbstractContextManager: ...

    def flush(self) -> None: ...

    def start(self) -> Any: ...

    def stop(self, started: Any) -> Any: ...

    def milliseconds(self, pair: Any) -> float:
        """Waits for the end of the pair that `stop` gave."""


class TorchClock:
    """Events in PyTorch's current stream."""

    def __init__(self, device: Any, megabytes: int):
        import torch

        self._torch = torch
        self._device = torch.cuda.current_device() if device is None else device
        self._buffer = torch.empty(megabytes << 20, dtype=torch.int8, device=torch.device("cuda", _index(self._device)))

    def scope(self):
        return self._torch.cuda.device(self._device)

    def flush(self) -> None:
        self._buffer.zero_()

    def start(self):
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def stop(self, started):
        return started, self.start()

    def milliseconds(self, pair) -> float:
        started, stopped = pair
        stopped.synchronize()
        return started.elapsed_time(stopped)


def _index(device: Any) -> int:
    if isinstance(device, int):
        return device
    found = getattr(device, "index", None)
    if found is not None:
        return found
    _kind, _colon, number = str(device).partition(":")
    return int(number or 0)


def clock_for(device: Any, megabytes: int) -> Clock:
    from .bench import _has_torch

    if _has_torch():
        return TorchClock(device, megabytes)
    from .driver_clock import DriverClock

    return DriverClock(0 if device is None else _index(device), megabytes)


def timed_runs(fn: Callable[[], Any], runs: int, clock: Clock) -> list[float]:
    """Milliseconds of each of some runs, with flushed caches."""
    pairs = []
    for _ in range(runs):
        clock.flush()
        started = clock.start()
        fn()
        pairs.append(clock.stop(started))
    return [clock.milliseconds(pair) for pair in pairs]


def estimate(fn: Callable[[], Any], clock: Clock) -> float:
    """Mean milliseconds of a run, over some; the first run is not counted."""
    fn()
    times = timed_runs(fn, _ESTIMATE_RUNS, clock)
    return sum(times) / len(times)


def bench_event(fn: Callable[[], Any], schedule: Schedule, device: Any) -> float | list[float]:
    """Milliseconds of `fn()` on the device, with its L2 cache flushed before each measured run."""
    clock = clock_for(device, schedule.cache_size)
    with clock.scope():
        expected = estimate(fn, clock)
        if schedule.too_slow(expected):
            return expected
        warm_ups, repeats = schedule.counts(expected)
        for _ in range(warm_ups):
            fn()
        times = timed_runs(fn, repeats, clock)
    return summary(times, schedule.quantiles, schedule.return_mode)
