"""The quick-start on the best device found: what it computes, how exactly, how fast, and what was generated.

Prints one row a program: device, largest error against float64, time, rate beside PyTorch (NumPy where PyTorch is not
installed) in the same run, and compile time cold, from the disk cache and from memory.
"""

import importlib.util
import os
import statistics
import tempfile
import time

import numpy as np
import quickstart
import rmsnorm
import softmax
import tilelang
import vector_add
from rich.console import Console
from rich.table import Table
from tilelang.cache import store

torch = None
if importlib.util.find_spec("torch") is not None:
    import torch

ROUNDS = 11


class Program:
    """One row: a kernel, its inputs and output, what it should give, its peer, and the work of one call."""

    def __init__(self, name, make, inputs, output, reference, peer, flops=0, size=0):
        self.name, self.make, self.inputs, self.output = name, make, inputs, output
        self.reference, self.peer, self.flops, self.bytes = reference, peer, flops, size

    def rate(self, seconds):
        """The rate of one call, as text."""
        if self.flops:
            return f"{self.flops / seconds / 1e9:.0f} GFLOP/s"
        return f"{self.bytes / seconds / 1e9:.1f} GB/s"


def programs():
    """The demo's programs on fresh random data."""
    rng = np.random.default_rng()

    def data(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    n, m, rows = 1 << 24, 1024, 4096
    a, b = data(n), data(n)
    x, w = data(rows, rows), data(rows)
    p, q = data(m, m), data(m, m)
    yield Program(
        f"vector add, {n} float32", lambda: vector_add.direct(n, 4096), (a, b), np.empty_like(a),
        lambda: a.astype(np.float64) + b,
        (lambda t, o: torch.add(t[0], t[1], out=o)) if torch else (lambda t, o: np.add(t[0], t[1], out=o)),
        size=12 * n,
    )  # fmt: skip
    yield Program(
        f"GEMM + ReLU, {m}^3 float32", lambda: quickstart.matmul_relu(m, m, m), (p, q), np.empty((m, m), np.float32),
        lambda: np.maximum(p.astype(np.float64) @ q, 0),
        (lambda t, o: torch.relu(torch.matmul(t[0], t[1], out=o))) if torch
        else (lambda t, o: np.maximum(t[0] @ t[1], 0)),
        flops=2 * m**3,
    )  # fmt: skip
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    yield Program(
        f"softmax, {rows} rows of {rows}", lambda: softmax.softmax(rows, rows), (x,), np.empty_like(x),
        lambda: e / e.sum(axis=1, keepdims=True),
        (lambda t, o: torch.softmax(t[0], dim=1)) if torch else (lambda t, o: numpy_softmax(t[0])),
        size=2 * x.nbytes,
    )  # fmt: skip
    yield Program(
        f"RMSNorm, {rows} rows of {rows}", lambda: rmsnorm.rmsnorm(rows, rows), (x, w), np.empty_like(x),
        lambda: x.astype(np.float64) / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1, keepdims=True) + 1e-6) * w,
        (lambda t, o: t[0] * torch.rsqrt((t[0] * t[0]).mean(1, keepdim=True) + 1e-6) * t[1]) if torch
        else (lambda t, o: t[0] / np.sqrt((t[0] * t[0]).mean(1, keepdims=True) + 1e-6) * t[1]),
        size=2 * x.nbytes,
    )  # fmt: skip


def numpy_softmax(x):
    """Row softmax with NumPy."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def seconds_of(call):
    """Wall time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def alternated(first, second):
    """Median seconds of two calls, measured in turns."""
    first(), second()
    pairs = [(seconds_of(first), seconds_of(second)) for _ in range(ROUNDS)]
    return tuple(statistics.median(times) for times in zip(*pairs, strict=True))


def compile_times(program):
    """The kernel, and milliseconds to get it: cold, from disk, from memory; tracing included."""
    times, kernel = [], None
    for forget in (False, True, False):
        if forget:
            store.memory.clear()
        start = time.perf_counter()
        kernel = tilelang.compile(program.make())
        times.append((time.perf_counter() - start) * 1e3)
    return kernel, times


def main():
    """Runs every program and prints the table."""
    os.environ["TILELANG_CACHE_DIR"] = tempfile.mkdtemp(prefix="tilelang-demo-")
    os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")
    console = Console()
    peer_name = "PyTorch" if torch else "NumPy"
    table = Table(title=f"TileLang {tilelang.__version__}")
    for column in (
        "program",
        "device",
        "largest error",
        "time",
        "rate",
        f"{peer_name}",
        "ratio",
        "compile: cold / disk / memory",
    ):
        table.add_column(column, justify="left" if column in ("program", "device") else "right")
    kernel = None
    for program in programs():
        kernel, times = compile_times(program)
        arrays = (*program.inputs, program.output)
        tensors = [torch.from_numpy(v) for v in arrays] if torch else arrays
        kernel(*tensors)
        want = program.reference()
        error = np.abs(program.output - want).max() / np.abs(want).max()
        peer_out = tensors[-1].clone() if torch else program.output.copy()
        ours, peer = alternated(lambda: kernel(*tensors), lambda: program.peer(tensors, peer_out))
        table.add_row(
            program.name, str(kernel.target), f"{error:.1e}",
            f"{ours * 1e3:.2f} ms", program.rate(ours), program.rate(peer),
            f"{peer / ours:.2f}", " / ".join(f"{t:.1f}" for t in times) + " ms",
        )  # fmt: skip
    console.print(table)
    console.print(
        "Errors are relative to the largest value; ratio > 1: faster than the peer. The heart of the last kernel:"
    )
    source = kernel.get_kernel_source()
    console.print(source[source.rindex('extern "C"') :], markup=False, highlight=False)


if __name__ == "__main__":
    main()
