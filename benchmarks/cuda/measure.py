"""Times on a CUDA device and on its host."""

import statistics
import time

import tilelang
import torch
import vector_add
from tilelang.cache import store

ROUNDS = 31
COLD_ROUNDS = 7
# Arguments of this size leave nothing of use in the L2 cache.
UNCACHED_BYTES = 150 << 20
FLUSH_BYTES = 256 << 20


def alternated(ours, peer, touched):
    """Median milliseconds of both on the device, measured in turns, in one queue without waiting."""
    flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda") if touched < UNCACHED_BYTES else None
    for _ in range(3):
        ours(), peer()
    torch.cuda.synchronize()
    pairs = {ours: [], peer: []}
    for _ in range(ROUNDS):
        for call, found in pairs.items():
            if flush is not None:
                flush.zero_()
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            call()
            end.record()
            found.append((start, end))
    torch.cuda.synchronize()
    return tuple(statistics.median(start.elapsed_time(end) for start, end in found) for found in pairs.values())


def cold_milliseconds(make, target):
    """A compile call with empty caches, tracing included, after others in the process: the median of some."""
    found = []
    for _ in range(COLD_ROUNDS):
        store.clear()
        start = time.perf_counter()
        tilelang.compile(make(), target=target)
        found.append((time.perf_counter() - start) * 1e3)
    return found[0], statistics.median(found)


def compiled(make, target="cuda"):
    """The kernel of what `make` traces, and how long it takes to get it: milliseconds cold and from disk, tracing
    included and with the compiler loaded before; microseconds from memory, for calls of a `jit` factory and for compile
    calls of one function."""
    tilelang.compile(vector_add.direct(3), target=target)
    first, cold = cold_milliseconds(make, target)
    store.memory.clear()
    from_disk = time.perf_counter()
    kernel = tilelang.compile(make(), target=target)
    loaded = time.perf_counter()

    @tilelang.jit(target=target)
    def factory(number):
        return make()

    known = factory(1)
    again = time.perf_counter()
    for _ in range(100):
        assert factory(1) is known
    end = time.perf_counter()
    function = make()
    tilelang.compile(function, target=target)
    known = tilelang.compile(function, target=target)
    once_more = time.perf_counter()
    for _ in range(100):
        assert tilelang.compile(function, target=target) is known
    compiled_again = time.perf_counter()
    return kernel, {
        "first_cold_ms": round(first, 2),
        "cold_ms": round(cold, 2),
        "disk_ms": round((loaded - from_disk) * 1e3, 2),
        "memory_us": round((end - again) * 1e4, 1),
        "compile_again_us": round((compiled_again - once_more) * 1e4, 1),
    }


def host_microseconds(call, calls=2000, rounds=7):
    """Microseconds that the host spends on a call that only queues work: the least over some rounds."""
    for _ in range(200):
        call()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
        torch.cuda.synchronize()
    return best * 1e6


def relative_error(found, wanted):
    """Norm of the difference by norm of what is wanted; inf where something is not a number."""
    found, wanted = found.double(), wanted.double()
    error = ((found - wanted).norm() / wanted.norm()).item()
    return error if error == error else float("inf")
