"""Artifacts of CUDA C++ that is written by hand: the runtime's half of a kernel, without the compiler's."""

from __future__ import annotations

import json
import sysconfig

from tilelang._ffi import fn


def tensor(name: str, dtype: str, *extents) -> dict:
    """A parameter that is an array; extents are numbers or programs over slots ("$0")."""
    shape = [{"value": str(extent), "text": ""} for extent in extents]
    return _param(name, "tensor", dtype, shape)


def scalar(name: str, dtype: str) -> dict:
    """A parameter that is a number."""
    return _param(name, "scalar", dtype, [])


def pointer(name: str) -> dict:
    """A parameter that is an address."""
    return _param(name, "pointer", "handle", [])


def _param(name, kind, dtype, shape) -> dict:
    flags = {"strides": [], "alignment": 1, "output": False, "used": True, "written": False}
    return {"name": name, "kind": kind, "dtype": dtype, "shape": shape, **flags}


def extent_slot(slot: int, param: int, axis: int = 0) -> dict:
    """The slot that holds an extent of a parameter."""
    source = {"field": "extent", "param": param, "axis": axis, "scale": "1", "offset": "0"}
    return {"slot": slot, "dtype": "int32", "sources": [source]}


def launch(kernel: int, args: list, grid=("1", "1", "1")) -> dict:
    """A step that launches a kernel; `args` are ["param", i], ["slot", i] or ["workspace", i]."""
    return {"step": "launch", "kernel": kernel, "grid": [str(extent) for extent in grid], "args": args}


def build(
    source: str,
    params: list[dict],
    kernels: list[tuple],
    steps: list[dict],
    *,
    bindings: tuple = (),
    workspaces: tuple = (),
    target: str | None = None,
):
    """The artifact, compiled. `kernels` are (symbol, threads, dynamic shared bytes); no `target`: that of device 0."""
    if target is None:
        target = str(fn.cuda_devices()[0][3])
    usage = {
        "registers": 0,
        "spill_bytes": 0,
        "static_shared_bytes": 0,
        "programs_meet": False,
        "light": False,
        "code": 0,
        "file": "",
        "span": [0, 0, 0],
    }
    variant = {"name": "general", "predicate": "1", "workspaces": list(workspaces), "steps": steps}
    description = {
        "format": 7,
        "name": "handmade",
        "target": target,
        "params": params,
        "slots": [f"slot{i}" for i in range(len(bindings))],
        "bindings": list(bindings),
        "kernels": [
            {"symbol": symbol, "threads": threads, "shared_bytes": shared, **usage}
            for symbol, threads, shared in kernels
        ],
        "later_texts": 0,
        "variants": [variant],
        "messages": [],
    }
    files = {"params.json": json.dumps(description).encode(), "device_kernel.cu": source.encode()}
    fn.cuda_toolchain([sysconfig.get_path("purelib")])
    return fn.artifact_build(fn.artifact_load(files), source, [], 0.0, False, "")


def load(artifact):
    """The function that checks arguments and launches: call(0, *arguments)."""
    call, *_ = fn.kernel_load(artifact)
    return call
