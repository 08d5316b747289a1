"""How many runs a measurement has, and what its times come to."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Schedule", "summary"]


@dataclass(frozen=True)
class Schedule:
    """What a caller of `do_bench` asks for. Times are in milliseconds, the cache size in MB."""

    warmup: float = 25
    rep: float = 100
    n_warmup: int = 0
    n_repeat: int = 0
    quantiles: list[float] | None = None
    return_mode: str = "mean"
    cache_size: int = 256
    early_stop_baseline: float | None = None

    def too_slow(self, estimate: float) -> bool:
        """Whether the estimate is the result."""
        return self.early_stop_baseline is not None and estimate > self.early_stop_baseline

    def counts(self, estimate: float) -> tuple[int, int]:
        """Warm-up runs and measured runs, for a run of about `estimate`."""
        per_run = max(estimate, 1e-6)
        return (
            self.n_warmup or max(1, int(self.warmup / per_run)),
            self.n_repeat or max(1, int(self.rep / per_run)),
        )


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
