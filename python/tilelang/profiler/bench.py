"""`do_bench`: how long a call takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilelang.errors import error_class

from .statistics_of import Schedule

__all__ = ["do_bench"]

BACKENDS = ("event", "cupti", "cudagraph", "wall", "msprof", "msprof_detail")
_MODES = ("min", "max", "mean", "median")


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

    Runs once, estimates over five runs, warms up for about `warmup` ms and measures for about `rep` ms (`_n_warmup` and
    `_n_repeat` give numbers of runs instead). The caches are flushed by `cache_size` MB before each measured run. With
    `quantiles` those are returned, else what `return_mode` says. Where the estimate is above `early_stop_baseline`, it
    is the result.

    `backend`: "event" takes the time on the CUDA device between two events around the call; "cupti" the time of the
    call's kernels alone, by PyTorch's profiler, as a mean; "cudagraph" captures the call and replays it, without the
    host's part; "wall" is the clock of the host, and limits the runs to ten times `rep` with the flushes. `device` is
    the CUDA device, else the current one.

    Raises `ValueError` for an unknown backend or mode and where "cupti" or "cudagraph" find no device or no PyTorch,
    `RuntimeError` where "event" finds no device.
    """
    if return_mode not in _MODES:
        raise error_class(ValueError)(f"Invalid return_mode: {return_mode}. Must be one of: {', '.join(_MODES)}")
    if backend not in BACKENDS:
        raise error_class(ValueError)(f"Unknown profiler backend: {backend}. Must be one of: {', '.join(BACKENDS)}")
    schedule = Schedule(
        warmup, rep, _n_warmup, _n_repeat, quantiles, return_mode, max(0, cache_size), early_stop_baseline
    )
    if backend == "wall":
        from .wall import bench_wall

        return bench_wall(fn, schedule)
    _check_device(backend)
    if backend == "cudagraph":
        from .torch_bench import bench_cudagraph

        return bench_cudagraph(fn, schedule, device)
    if backend == "cupti":
        from .torch_bench import bench_cupti

        return bench_cupti(fn, schedule, device)
    from .event import bench_event

    return bench_event(fn, schedule, device)


def _check_device(backend: str) -> None:
    from tilelang.backend import cuda

    host = "on the host measure with backend='wall'"
    if backend in ("msprof", "msprof_detail"):
        raise error_class(ValueError)(f"{backend} timing requires an Ascend device, which this version does not run on")
    if not cuda.devices():
        if backend == "event":
            raise error_class(RuntimeError)(f"No device is available: {host}")
        raise error_class(ValueError)(f"{backend} timing requires CUDA/HIP: {host}")
    if backend != "event" and not _has_torch():
        raise error_class(ValueError)(f"{backend} timing requires PyTorch with CUDA: measure with backend='event'")


def _has_torch() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()
