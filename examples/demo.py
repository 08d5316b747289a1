"""The quick-start on the processor and on a CUDA device, if there is one: what it computes, how exactly, how fast.

Prints a row a program and device: largest error against float64, time, rate beside PyTorch (cuBLAS for the GEMM on a
CUDA device; NumPy where PyTorch is not installed) in the same run, and compile time cold, from the disk cache and from
memory. Then the heart of the generated source of the last kernel.
"""

import importlib.util
import os
import statistics
import sys
import tempfile
import time

import numpy as np
import quickstart
import rmsnorm
import softmax
import tilelang
import transpose
import vector_add
from rich.console import Console
from rich.table import Table
from tilelang.backend import cuda
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


def programs(scale):
    """The demo's programs on fresh random data; `scale` multiplies their sizes for faster machines."""
    rng = np.random.default_rng()

    def data(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    n, m, rows = (1 << 24) * scale, 1024 * scale, 4096
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
        (lambda t, o: torch.relu_(torch.matmul(t[0], t[1], out=o))) if torch
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
        (lambda t, o: torch.nn.functional.rms_norm(t[0], (rows,), t[1], 1e-6)) if torch
        else (lambda t, o: t[0] / np.sqrt((t[0] * t[0]).mean(1, keepdims=True) + 1e-6) * t[1]),
        size=2 * x.nbytes,
    )  # fmt: skip
    yield Program(
        f"transpose, {rows}^2 float32", lambda: transpose.transpose(rows, rows), (x,), np.empty_like(x), lambda: x.T,
        (lambda t, o: o.copy_(t[0].t())) if torch else (lambda t, o: np.copyto(o, t[0].T)),
        size=2 * x.nbytes,
    )  # fmt: skip


def numpy_softmax(x):
    """Row softmax with NumPy."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Host:
    """The processor: its clock, and arrays in host memory."""

    target, name, scale = "c", "processor", 1

    def tensors(self, arrays):
        """The arrays as kernels and peers take them; they share memory."""
        return [torch.from_numpy(v) for v in arrays] if torch else list(arrays)

    def result(self, tensor):
        """A kernel's output as a NumPy array."""
        return np.asarray(tensor)

    def seconds(self, call):
        """Time of one call."""
        start = time.perf_counter()
        call()
        return time.perf_counter() - start


class Gpu:
    """A CUDA device: its events, and tensors in its memory."""

    target, scale = "cuda", 4

    def __init__(self):
        self.name = torch.cuda.get_device_name()
        torch.backends.cuda.matmul.allow_tf32 = False  # float32 is float32 on both sides

    def tensors(self, arrays):
        """Copies of the arrays on the device."""
        return [torch.from_numpy(v).cuda() for v in arrays]

    def result(self, tensor):
        """A kernel's output as a NumPy array."""
        return tensor.cpu().numpy()

    def seconds(self, call):
        """Time of one call on the device."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3


def places():
    """What the demo runs on."""
    yield Host()
    if torch and torch.cuda.is_available() and cuda.devices():
        yield Gpu()


def alternated(place, first, second):
    """Median seconds of two calls, measured in turns."""
    first(), second()
    pairs = [(place.seconds(first), place.seconds(second)) for _ in range(ROUNDS)]
    return tuple(statistics.median(times) for times in zip(*pairs, strict=True))


def compile_times(program, target):
    """The kernel, and milliseconds to get it: cold, from disk, from memory; tracing included."""
    times, kernel = [], None
    for forget in (False, True, False):
        if forget:
            store.memory.clear()
        start = time.perf_counter()
        kernel = tilelang.compile(program.make(), target=target)
        times.append((time.perf_counter() - start) * 1e3)
    return kernel, times


def row(program, place):
    """The kernel, and the cells of the program's row."""
    kernel, times = compile_times(program, place.target)
    tensors = place.tensors((*program.inputs, program.output))
    kernel(*tensors)
    want = program.reference()
    error = np.abs(place.result(tensors[-1]) - want).max() / np.abs(want).max()
    peer_out = tensors[-1].clone() if torch else program.output.copy()
    ours, peer = alternated(place, lambda: kernel(*tensors), lambda: program.peer(tensors, peer_out))
    return kernel, (
        program.name, place.name, f"{error:.1e}", f"{ours * 1e3:.2f} ms", program.rate(ours), program.rate(peer),
        f"{peer / ours:.2f}", " / ".join(f"{t:.1f}" for t in times) + " ms",
    )  # fmt: skip


def main():
    """Runs every program on every device and prints the table."""
    os.environ["TILELANG_CACHE_DIR"] = tempfile.mkdtemp(prefix="tilelang-demo-")
    os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")
    console = Console() if sys.stdout.isatty() else Console(width=170)
    peer_name = "PyTorch" if torch else "NumPy"
    table = Table(title=f"TileLang {tilelang.__version__}")
    for column in (
        "program",
        "device",
        "largest error",
        "time",
        "rate",
        peer_name,
        "ratio",
        "compile: cold / disk / memory",
    ):
        table.add_column(column, justify="left" if column in ("program", "device") else "right")
    kernel = None
    for place in places():
        for program in programs(place.scale):
            kernel, cells = row(program, place)
            table.add_row(*cells)
        table.add_section()
    console.print(table)
    console.print(
        "Errors are relative to the largest value; ratio > 1: faster than the peer. The heart of the last kernel:"
    )
    source = kernel.get_kernel_source()
    console.print(source[source.rindex('extern "C"') :], markup=False, highlight=False)


if __name__ == "__main__":
    main()
