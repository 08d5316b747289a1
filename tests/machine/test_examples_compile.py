"""The examples compile for every generation of GPUs, and keep their tiles in registers.

A day's run takes one generation an example; `./dev compile-all` takes all of them.
"""

from __future__ import annotations

import datetime
import importlib
import os
from pathlib import Path

import pytest
import tilelang
from tilelang.backend import cuda

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARCHITECTURES = ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
PROGRAMS = [
    ("vector_add", "direct", (100_000, 1024)),
    ("vector_add", "buffered", (100_000, 1024)),
    ("vector_add", "two_dimensional", (77, 1000)),
    ("quickstart", "matmul_relu", (130, 260, 64)),
    ("softmax", "softmax", (37, 1000, 4)),
    ("rmsnorm", "rmsnorm", (64, 4096, 1)),
    ("transpose", "transpose", (333, 129)),
]


def chosen() -> list[tuple]:
    if os.environ.get("TL_COMPILE_ALL"):
        return [(program, arch) for program in PROGRAMS for arch in ARCHITECTURES]
    day = datetime.date.today().toordinal()
    return [(program, ARCHITECTURES[(day + i) % len(ARCHITECTURES)]) for i, program in enumerate(PROGRAMS)]


@pytest.mark.parametrize(("program", "arch"), chosen(), ids=lambda value: value if isinstance(value, str) else value[1])
def test_compiles_without_spills(program, arch, monkeypatch):
    try:
        cuda.find_compiler()
    except tilelang.TileLangError:
        pytest.skip("needs NVRTC or nvcc")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    name, maker, arguments = program
    function = getattr(importlib.import_module(name), maker)(*arguments)
    kernel = tilelang.compile(function, target={"kind": "cuda", "arch": arch})
    assert "__global__" in kernel.get_kernel_source()
    assert all(usage["n_spills"] == 0 for usage in kernel.resource_usage.values())
