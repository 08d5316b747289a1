"""Checks of the installation, and of compiling and running on the host."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata, util
from pathlib import Path

import tilelang
from tilelang.env import env

from .finding import Finding, Status, Trouble, checked

OLDEST_PYTHON = (3, 10)


def install() -> str:
    if sys.version_info < OLDEST_PYTHON:
        raise Trouble(f"Python {platform.python_version()}", "use Python 3.10 or newer")
    if sys.platform != "linux":
        raise Trouble(f"this is {sys.platform}", "use Linux, or WSL on Windows")
    where = Path(tilelang.__file__).parent
    return f"tilelang {tilelang.__version__} in {where}; Python {platform.python_version()}, {platform.machine()}"


def imports() -> str:
    from tilelang._ffi import fn
    from tilelang.libinfo import find_library

    path = find_library()
    fn.dtype_code("float32")
    return f"{path}; {', '.join(map(_version, ('tvm_ffi', 'numpy', 'ml_dtypes')))}"


def _version(module: str) -> str:
    found = importlib.import_module(module)
    return f"{module} {getattr(found, '__version__', '')}".rstrip()


def cache_folder() -> str:
    folder = Path(env.TILELANG_CACHE_DIR)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Trouble(f"{folder}: {error.strerror}", "set TILELANG_CACHE_DIR to a folder that you can write") from None
    return str(folder)


def arrays(*shapes: tuple[int, ...]) -> Iterator:
    import numpy

    rng = numpy.random.default_rng()
    return (rng.standard_normal(shape, dtype=numpy.float32) for shape in shapes)


def compiled(function, target) -> tuple[Callable, str]:
    """The kernel, compiled now, and how long that took."""
    from tilelang.jit.kernel import JITKernel

    start = time.perf_counter()
    kernel = JITKernel(function, target=target)
    return kernel, f"{function.name} in {(time.perf_counter() - start) * 1e3:.0f} ms"


def compile_on_host(kernels: dict[str, Callable]) -> str:
    from .programs import SIDES, SIZE, matmul, vector_add

    m, n, k = SIDES
    kernels["add"], first = compiled(vector_add(SIZE), "c")
    kernels["matmul"], second = compiled(matmul(m, n, k), "c")
    return f"{first}, {second}"


def run_on_host(kernels: dict[str, Callable], results: dict) -> str:
    import numpy

    from .programs import SIDES, SIZE

    need(kernels, "add")
    m, n, k = SIDES
    inputs = *arrays((SIZE,), (SIZE,)), numpy.full(SIZE, numpy.nan, numpy.float32)
    start = time.perf_counter()
    kernels["add"](*inputs)
    taken = time.perf_counter() - start
    results["add"] = inputs
    results["matmul"] = *arrays((m, k), (k, n)), numpy.full((m, n), numpy.nan, numpy.float32)
    kernels["matmul"](*results["matmul"])
    return f"{SIZE} sums in {taken * 1e6:.0f} us, first call"


def need(found: dict, name: str) -> None:
    if name not in found:
        raise Trouble("the step before it failed", "", Status.SKIPPED)


def check_results(results: dict) -> str:
    """Compares (A, B, C) of both programs with float64. Raises `Trouble` where they differ."""
    import numpy

    need(results, "matmul")
    a, b, c = results["add"]
    add_error = numpy.abs(c - (a.astype(numpy.float64) + b)).max()
    p, q, r = results["matmul"]
    scale = (numpy.abs(p).astype(numpy.float64) @ numpy.abs(q)).max()
    gemm_error = numpy.abs(r - p.astype(numpy.float64) @ q).max() / scale
    if not (add_error < 1e-6 and gemm_error < 1e-5):
        raise Trouble(
            f"largest errors against float64: sum {add_error:.1e}, product {gemm_error:.1e}",
            "report this with the output of `python -m tilelang doctor`; target='interpret' computes it another way",
        )
    return f"largest errors against float64: sum {add_error:.1e}, product {gemm_error:.1e}"


def torch_package() -> Finding:
    """PyTorch is wanted for CUDA, and for profilers and testing everywhere."""
    what = "PyTorch"
    if util.find_spec("torch") is None:
        return Finding(
            what, Status.ABSENT, "not installed", "pip install torch: needed on CUDA devices, and to profile"
        )
    return Finding(what, Status.WORKS, metadata.version("torch"))


def host_findings() -> Iterator[Finding]:
    """From the installation to the numbers of the host's kernels."""
    kernels: dict[str, Callable] = {}
    results: dict = {}
    reinstall = "reinstall: pip install --force-reinstall tilelang (in a source tree: ./dev build)"
    yield checked("install", install, reinstall)
    library = checked("import", imports, reinstall)
    yield library
    yield checked("kernel cache", cache_folder, "set TILELANG_CACHE_DIR to a folder that you can write")
    yield torch_package()
    if library.status is Status.FAILS:
        return
    compiler = os.environ.get("CXX") or "g++"
    remedy = f"install a C++17 compiler (apt-get install g++), or set CXX, which is {compiler} now"
    yield checked("host: compile", lambda: compile_on_host(kernels), remedy)
    yield checked("host: run", lambda: run_on_host(kernels, results), "report this: the compiled kernel should run")
    yield checked("host: numerics", lambda: check_results(results), "report this: the results should be right")
