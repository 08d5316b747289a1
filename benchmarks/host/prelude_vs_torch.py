"""Kernels on the host prelude beside PyTorch on two threads, rounds alternated. By hand, with torch installed."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
FLAGS = "-std=c++17 -O3 -march=native -fno-math-errno -fno-trapping-math -ffp-contract=off -shared -fPIC"
ROUNDS = 40
pool = ThreadPoolExecutor(1)


def build() -> ctypes.CDLL:
    library = Path(tempfile.mkdtemp()) / "kernels.so"
    source = ROOT / "benchmarks/host/prelude_kernels.cpp"
    subprocess.run(
        ["g++", *FLAGS.split(), "-fvisibility=hidden", f"-I{ROOT / 'src'}", source, "-o", library], check=True
    )
    return ctypes.CDLL(str(library))


def on_two_threads(kernel, tensors: list[torch.Tensor], programs: int) -> None:
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in tensors]
    half = ctypes.c_long(programs // 2)
    other = pool.submit(kernel, *pointers, ctypes.c_long(0), half)
    kernel(*pointers, half, ctypes.c_long(programs))
    other.result()


def compare(name: str, ours: Callable[[], None], theirs: Callable[[], object]) -> None:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for sink, run in zip(times, (ours, theirs), strict=True):
            start = time.perf_counter()
            run()
            sink.append((time.perf_counter() - start) * 1e3)
    best, median = [min(t) for t in times], [sorted(t)[ROUNDS // 2] for t in times]
    print(f"{name:20} best {best[0]:7.2f} ms, torch {best[1]:7.2f} ({best[1] / best[0]:.2f}x);", end=" ")
    print(f"median {median[0]:7.2f} ms, torch {median[1]:7.2f} ({median[1] / median[0]:.2f}x)")


def main() -> None:
    torch.set_num_threads(2)
    kernels = build()
    a, b, c = torch.rand(1 << 24), torch.rand(1 << 24), torch.empty(1 << 24)
    compare(
        "vector add 2^24",
        lambda: on_two_threads(kernels.vector_add, [a, b, c], 4096),
        lambda: torch.add(a, b, out=c),
    )
    x, w, y = torch.randn(4096, 4096), torch.randn(4096), torch.empty(4096, 4096)
    compare("softmax 4096x4096", lambda: on_two_threads(kernels.softmax, [x, y], 4096), lambda: torch.softmax(x, -1))
    print("  largest error", (y - torch.softmax(x.double(), -1)).abs().max().item())
    compare(
        "RMSNorm 4096x4096",
        lambda: on_two_threads(kernels.rms_norm, [x, w, y], 4096),
        lambda: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w,
    )
    m, n, o = torch.randn(1024, 1024), torch.randn(1024, 1024), torch.empty(1024, 1024)
    compare("matmul 1024^3", lambda: on_two_threads(kernels.matmul, [m, n, o], 256), lambda: torch.mm(m, n))
    print("  largest error", (o - m.double() @ n.double()).abs().max().item())


if __name__ == "__main__":
    main()
