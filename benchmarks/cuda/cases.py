"""What is measured on a CUDA device: a table of cases, by name. Nothing here needs a device until a case is made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import quickstart
import rmsnorm
import vector_add

from benchmarks.cuda import programs


@dataclass
class Case:
    """A function that traces a program, with the arguments and the peer.

    `work` is what one call moves in bytes or computes in operations, `peer_work` the same for the peer: the ratio is
    that of the rates. `reference` gives what the last argument should hold, within `tolerance` of its norm. `least` is
    the ratio that is asked for.
    """

    make: Callable[[], Any]
    arguments: tuple
    peer: Callable[[], Any]
    reference: Callable[[], Any]
    work: float
    least: float
    tolerance: float = 1e-5
    peer_work: float = 0.0
    rate: str = "GB/s"
    touched: int = field(init=False)

    def __post_init__(self):
        self.peer_work = self.peer_work or self.work
        self.touched = sum(tensor.nbytes for tensor in self.arguments)


def _randn(shape, dtype="float32"):
    import torch

    found = torch.empty(shape, device="cuda", dtype=getattr(torch, dtype))
    return found.normal_()


def _nan_like(tensor, shape=None):
    import torch

    return torch.full(shape or tuple(tensor.shape), float("nan"), device="cuda", dtype=tensor.dtype)


def _tolerance(dtype):
    return 1e-6 if dtype == "float32" else 4e-3


def vector_add_case(n, dtype, make, least):
    """Beside `torch.add(out=)`."""
    import torch

    a, b = _randn(n, dtype), _randn(n, dtype)
    c, other = _nan_like(a), torch.empty_like(a)
    return Case(
        lambda: make(n, 2048, 256, dtype), (a, b, c), lambda: torch.add(a, b, out=other), lambda: a.double() + b,
        3 * a.nbytes, least, _tolerance(dtype),
    )  # fmt: skip


def add_rows_case(m, n, dtype, least):
    """One program over run-time sizes, beside `torch.add(out=)`."""
    import torch

    a, b = _randn((m, n), dtype), _randn((m, n), dtype)
    c, other = _nan_like(a), torch.empty_like(a)
    return Case(
        lambda: programs.add_rows(dtype), (a, b, c), lambda: torch.add(a, b, out=other), lambda: a.double() + b,
        3 * a.nbytes, least, _tolerance(dtype),
    )  # fmt: skip


def row_case(kind, m, n, block_m):
    """A norm of rows, beside a copy of the same matrix on the device."""
    import torch

    x, w = _randn((m, n), "bfloat16"), _randn(n, "bfloat16")
    y, other = _nan_like(x), torch.empty_like(x)
    if kind == "rmsnorm":
        arguments = x, w, y

        def trace():
            return rmsnorm.rmsnorm(m, n, block_m, dtype="bfloat16", threads=256)

        def reference():
            return torch.nn.functional.rms_norm(x.float(), (n,), w.float(), 1e-6)
    else:
        arguments = x, y

        def trace():
            return programs.softmax(m, n, block_m, "bfloat16", 256)

        def reference():
            return torch.softmax(x.float(), -1)

    return Case(trace, arguments, lambda: other.copy_(x), reference, 2 * x.nbytes, 0.96, 1e-2)


def sum_case():
    """Bytes read per second beside those that a copy reads and writes per second."""
    import torch

    n = 1 << 30
    a = torch.rand(n, device="cuda")
    half = torch.empty(n // 2, device="cuda")
    partial, s = _nan_like(a, (2048,)), _nan_like(a, (1,))
    return Case(
        lambda: programs.total(n), (a, partial, s), lambda: half.copy_(a[: n // 2]),
        lambda: a.sum(dtype=torch.float64).reshape(1),
        a.nbytes, 1.0, 1e-5, peer_work=a.nbytes,
    )  # fmt: skip


def transpose_case(dtype):
    """Beside a copy."""
    import torch

    x = _randn((8192, 8192), dtype)
    y, other = _nan_like(x), torch.empty_like(x)
    return Case(
        lambda: programs.transpose(8192, 8192, dtype), (x, y), lambda: other.copy_(x), lambda: x.t(),
        2 * x.nbytes, 0.9, 0.0,
    )  # fmt: skip


def gemm_case(block_m, block_n, block_k, threads):
    """The quick-start's GEMM with ReLU beside cuBLAS without TF32."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    n = 4096
    a, b = _randn((n, n)), _randn((n, n))
    c, other = _nan_like(a), torch.empty_like(a)

    def trace():
        return quickstart.matmul_relu(n, n, n, block_m, block_n, block_k, threads=threads)

    return Case(
        trace, (a, b, c), lambda: torch.matmul(a, b, out=other), lambda: (a.double() @ b.double()).relu(),
        2 * n**3, 0.6, 1e-5, rate="GFLOP/s",
    )  # fmt: skip


def _table():
    """Name -> function that makes the case."""
    found = {}
    for less, least in ((0, 0.99), (1, 0.97)):
        for dtype, power in (("float32", 27), ("bfloat16", 28)):
            for form, make in (("direct", vector_add.direct), ("fragments", vector_add.buffered)):
                name = f"vector add {dtype} 2^{power}{' - 1' if less else ''} {form}"
                n = (1 << power) - less
                found[name] = lambda n=n, d=dtype, make=make, least=least: vector_add_case(n, d, make, least)
    # Whole tiles; rows that are whole vectors; rows that begin anywhere, which the general variant takes.
    for n, least in ((8192, 0.97), (8100, 0.9), (8191, 0.6)):
        found[f"add float32 16384x{n}, sizes of the call"] = lambda n=n, least=least: add_rows_case(
            16384, n, "float32", least
        )
    for kind in ("rmsnorm", "softmax"):
        for m, n, block_m in ((16384, 4096, 1), (16384, 8192, 1), (65536, 1024, 4)):
            found[f"{kind} bfloat16 {m}x{n}"] = lambda k=kind, m=m, n=n, b=block_m: row_case(k, m, n, b)
    found["sum float32 2^30, two kernels"] = sum_case
    for dtype in ("float32", "bfloat16"):
        found[f"transpose {dtype} 8192x8192"] = lambda d=dtype: transpose_case(d)
    for tiles in ((64, 64, 64, 128), (128, 128, 16, 256)):
        found["gemm float32 4096, tiles " + "x".join(map(str, tiles[:3]))] = lambda t=tiles: gemm_case(*t)
    return found


CASES = _table()
