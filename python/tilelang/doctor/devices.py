"""Checks of CUDA and Ascend."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tilelang.backend import cuda
from tilelang.env import env

from .finding import Finding, Status, Trouble, checked
from .host import arrays, check_results, compiled, need

_COMPILER = "CUDA compiler"
_NO_COMPILER = "pip install nvidia-cuda-nvrtc, or set CUDA_HOME to a CUDA toolkit"


def cuda_findings() -> Iterator[Finding]:
    """Driver, compiler (NVRTC, or nvcc), devices, and a program on each device."""
    status = cuda.status()
    devices = cuda.devices()
    has_hardware = bool(devices) or Path("/dev/nvidiactl").exists()
    yield _driver(status, has_hardware)
    compiler = _compiler(status, has_hardware)
    yield compiler
    if compiler.status is Status.WORKS and not devices:
        yield checked("CUDA: compile", _compile_without_device, "report this: source should compile without a device")
    if not devices and has_hardware:
        yield Finding(
            "CUDA device", Status.FAILS, "the driver names none", "look at nvidia-smi, and at CUDA_VISIBLE_DEVICES"
        )
    for device in devices:
        yield from _device_findings(device, compiler.status is Status.WORKS)


def _driver(status: dict[str, str], has_hardware: bool) -> Finding:
    if not status["driver_problem"]:
        return Finding("CUDA driver", Status.WORKS, f"CUDA {status['driver']}")
    remedy = "install the NVIDIA driver that fits the system" if has_hardware else ""
    return Finding("CUDA driver", Status.FAILS if has_hardware else Status.ABSENT, status["driver_problem"], remedy)


def _compiler(status: dict[str, str], wanted: bool) -> Finding:
    if not status["compiler_problem"]:
        return Finding(_COMPILER, Status.WORKS, f"{status['compiler']}, {status['compiler_path']}")
    return Finding(_COMPILER, Status.FAILS if wanted else Status.ABSENT, status["compiler_problem"], _NO_COMPILER)


def _compile_without_device() -> str:
    from .programs import SIZE, vector_add

    _kernel, taken = compiled(vector_add(SIZE), {"kind": "cuda", "arch": cuda.DEFAULT_ARCH})
    return f"{taken}, for {cuda.DEFAULT_ARCH}"


def _device_findings(device: cuda.Device, has_compiler: bool) -> Iterator[Finding]:
    name = f"cuda:{device.ordinal}"
    yield Finding(name, Status.WORKS, f"{device.name}, {device.arch}, {device.memory / 2**30:.0f} GiB")
    kernels: dict[str, Callable] = {}
    results: dict = {}
    remedy = "report this with the output of `python -m tilelang doctor`"
    if has_compiler:
        yield checked(f"{name}: compile", lambda: _compile(device, kernels), remedy)
        yield checked(f"{name}: run", lambda: _run(device, kernels, results), "look at nvidia-smi; " + remedy)
        yield checked(f"{name}: numerics", lambda: check_results(results), remedy)


def _compile(device: cuda.Device, kernels: dict[str, Callable]) -> str:
    from .programs import SIDES, SIZE, matmul, vector_add

    target = cuda.target_for(device)
    kernels["add"], first = compiled(vector_add(SIZE), target)
    kernels["matmul"], second = compiled(matmul(*SIDES), target)
    return f"{first}, {second}"


def _run(device: cuda.Device, kernels: dict[str, Callable], results: dict) -> str:
    from .programs import SIDES, SIZE

    need(kernels, "matmul")
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        found = "no PyTorch with CUDA to hold the arrays"
        raise Trouble(found, "pip install torch, a build with CUDA", Status.SKIPPED)
    m, n, k = SIDES
    place = torch.device("cuda", device.ordinal)
    for program, shapes in (("add", ((SIZE,),) * 3), ("matmul", ((m, k), (k, n), (m, n)))):
        tensors = [torch.from_numpy(array).to(place) for array in arrays(*shapes)]
        kernels[program](*tensors)
        results[program] = tuple(tensor.cpu().numpy() for tensor in tensors)
    return "both programs end"


def ascend_findings() -> Iterator[Finding]:
    """The tools of Ascend, which this version looks for but does not use yet."""
    home = env.ASCEND_HOME_PATH
    if home and Path(home).is_dir():
        yield Finding("Ascend toolkit", Status.WORKS, home)
    else:
        found = f"ASCEND_HOME_PATH is {home}, no folder" if home else "ASCEND_HOME_PATH is not set"
        yield Finding("Ascend toolkit", Status.ABSENT, found, "source set_env.sh of CANN, if this machine has an NPU")
    bisheng = shutil.which("bisheng") or _beside(env.BISHENG_HOME, "bin/bisheng")
    if bisheng:
        yield Finding("bisheng", Status.WORKS, bisheng)
    else:
        yield Finding("bisheng", Status.ABSENT, "not on PATH, not in BISHENG_HOME", "source set_env.sh of CANN")
    devices = sorted(path.name for path in Path("/dev").glob("davinci[0-9]*"))
    yield Finding("Ascend device", Status.WORKS if devices else Status.ABSENT, ", ".join(devices) or "no /dev/davinci*")


def _beside(folder: str | None, name: str) -> str | None:
    path = os.path.join(folder, name) if folder else ""
    return path if os.path.isfile(path) else None
