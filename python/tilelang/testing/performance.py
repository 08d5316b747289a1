"""Records of how long kernels take, for comparison between versions.

A file of benchmarks has functions `regression_*`, which call `process_func(function, name, **arguments)`;
`regression()`
at its end runs them and prints the records, as a table or, with `TL_PERF_REGRESSION_FORMAT=json`, as one line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["process_func", "regression"]

_JSON_PREFIX = "__TILELANG_PERF_RESULTS_JSON__="
_records: list[tuple[str, float]] = []


def process_func(func: Callable[..., float], name: str | None = None, /, **kwargs: Any) -> None:
    """Calls `func(**kwargs)` and records the latency it returns, in ms, under `name`."""
    name = name or f"{func.__module__}.{func.__qualname__}"
    only = {n for n in os.environ.get("TL_PERF_REGRESSION_ONLY", "").split(",") if n}
    if only and name not in only:
        return
    latency = float(func(**kwargs))
    if not latency > 0:
        raise ValueError(f"{name} returned {latency}, which is no latency")
    _records.append((name, latency))


def regression(prefixes: Sequence[str] = ("regression_",), verbose: bool = True) -> None:
    """Runs the functions of the calling file whose names begin with one of `prefixes`, in order, and prints the
    records."""
    space = sys._getframe(1).f_globals
    _records.clear()
    for name, function in list(space.items()):
        if callable(function) and name.startswith(tuple(prefixes)):
            function()
    if os.environ.get("TL_PERF_REGRESSION_FORMAT", "text") == "json":
        print(_JSON_PREFIX + json.dumps([{"name": name, "latency": latency} for name, latency in _records]))
    elif verbose:
        for name, latency in _records:
            print(f"{name:<60} {latency:10.4f} ms")
