"""The host's benchmarks.

Each row is a program beside PyTorch's own operation on the same data: medians of alternated rounds, in two separate
passes. A ratio above 1 says that ours is faster.
"""

import statistics
import time

import quickstart
import rmsnorm
import softmax
import tilelang
import torch
import transpose
import vector_add

ROUNDS = 15


def randn(*shape):
    """Fresh random float32 data."""
    return torch.randn(*shape)


def torch_rmsnorm(x, w):
    """RMSNorm in eager PyTorch."""
    return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6) * w


def cases():
    """(name, kernel, arguments with the output last, peer, least ratio that is asked for)."""
    n, size, rows = 1 << 24, 1024, 4096
    a, b = randn(n), randn(n)
    yield "vector add 2^24, block 4096", vector_add.direct(n, 4096), (a, b, torch.empty(n)), (
        lambda t: torch.add(t[0], t[1], out=t[2])), 0.9  # fmt: skip
    yield "vector add 2^24 - 1, block 4096", vector_add.direct(n - 1, 4096), (a[:-1], b[:-1], torch.empty(n - 1)), (
        lambda t: torch.add(t[0], t[1], out=t[2])), 0.9  # fmt: skip
    yield "vector add 2^24 through fragments", vector_add.buffered(n, 4096), (a, b, torch.empty(n)), (
        lambda t: torch.add(t[0], t[1], out=t[2])), 0.9  # fmt: skip
    p, q = randn(size, size), randn(size, size)
    yield "GEMM 1024^3, tiles 64x64x64", quickstart.matmul_relu(size, size, size), (p, q, torch.empty(size, size)), (
        lambda t: torch.relu_(torch.matmul(t[0], t[1], out=t[2]))), 0.5  # fmt: skip
    x, w = randn(rows, rows), randn(rows)
    yield "softmax 4096x4096", softmax.softmax(rows, rows), (x, torch.empty_like(x)), (
        lambda t: torch.softmax(t[0], dim=1)), 1.0  # fmt: skip
    yield "RMSNorm 4096x4096", rmsnorm.rmsnorm(rows, rows), (x, w, torch.empty_like(x)), (
        lambda t: torch_rmsnorm(t[0], t[1])), 1.0  # fmt: skip
    yield "transpose 4096x4096", transpose.transpose(rows, rows), (x, torch.empty_like(x)), (
        lambda t: t[1].copy_(t[0].t())), 0.0  # fmt: skip


def seconds_of(call):
    """Wall time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(ours, peer):
    """Median seconds of both, measured in turns."""
    ours(), peer()
    rounds = [(seconds_of(ours), seconds_of(peer)) for _ in range(ROUNDS)]
    return tuple(statistics.median(times) for times in zip(*rounds, strict=True))


def main(wanted):
    """Prints one line a case, and says which fall below what is asked for."""
    print(f"TileLang {tilelang.__version__}, PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
    below = []
    for name, function, arguments, peer, least in cases():
        if wanted and not any(word in name for word in wanted):
            continue
        kernel = tilelang.compile(function, target="c")
        ratios, line = [], f"{name:36}"
        for _ in range(2):
            ours, theirs = measure(lambda: kernel(*arguments), lambda: peer(arguments))
            ratios.append(theirs / ours)
            line += f"  {ours * 1e3:7.2f} ms, peer {theirs * 1e3:7.2f} ms, ratio {theirs / ours:5.2f} "
        print(f"{line} (asked for: {least})", flush=True)
        below += [name] if min(ratios) < least else []
    if below:
        print("below what is asked for: " + ", ".join(below))
