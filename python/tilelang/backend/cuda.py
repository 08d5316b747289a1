"""CUDA devices of this machine, and the architectures that kernels are compiled for.

Everything that Python asks of the CUDA side of the library goes through here. Nothing needs a driver or a device but
what says so.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from dataclasses import dataclass
from typing import Any

from tilelang._ffi import fn
from tilelang.errors import InternalError, TileLangError, error_class

# Compute capability -> the compiler's target. A machine runs code made for a smaller minor number of its own major one,
# but for targets with an `a`, which run on that capability alone.
_TARGETS = {
    75: "sm_75",
    80: "sm_80",
    86: "sm_86",
    87: "sm_86",
    89: "sm_89",
    90: "sm_90a",
    100: "sm_100a",
    120: "sm_120a",
}
# What `"cuda"` means where no device can be asked.
DEFAULT_ARCH = "sm_90a"

_ARCH = re.compile(r"(?:sm|compute)_(\d{2,3})[af]?")


@dataclass(frozen=True)
class Device:
    """A CUDA device: `arch` is such as "sm_90", `target` the compiler's name for what runs there (empty where it makes
    nothing for it), `memory` in bytes."""

    ordinal: int
    name: str
    arch: str
    target: str
    memory: int

    @property
    def capability(self) -> tuple[int, int]:
        return divmod(int(self.arch.removeprefix("sm_")), 10)


def _asked(name: str, *args: Any) -> Any:
    """What a function of the library gives. Raises `TileLangError` where the machine lacks what it needs."""
    try:
        function = getattr(fn, name)
    except InternalError:
        raise error_class(RuntimeError)("the library is built without CUDA") from None
    return function(*args)


# Set when the devices are known.
_architectures_differ = False


@functools.cache
def devices() -> tuple[Device, ...]:
    """The devices that this process can use; none without a driver. Initialises the driver, makes no context."""
    try:
        rows = _asked("cuda_devices")
    except TileLangError:
        return ()
    found = tuple(
        Device(int(at), str(name), "sm_" + str(capability).replace(".", ""), str(target), int(memory))
        for at, name, capability, target, memory, _multiprocessors in rows
    )
    global _architectures_differ
    _architectures_differ = len({device.arch for device in found}) > 1
    return found


def current_device() -> Device | None:
    """PyTorch's current device where it uses one, else the first; None where there is none."""
    found = devices()
    torch = sys.modules.get("torch")
    at = torch.cuda.current_device() if found and torch is not None and torch.cuda.is_initialized() else 0
    return next((device for device in found if device.ordinal == at), None)


def current_arch_key() -> str | None:
    """The architecture of the current device where this machine has several, as far as somebody has asked for them."""
    if not _architectures_differ:
        return None
    device = current_device()
    return device.arch if device else None


def target_for(device: Device | None) -> dict[str, Any]:
    """The target of a device, or of any machine where there is none."""
    if device is None:
        return {"kind": "cuda", "arch": DEFAULT_ARCH}
    return {"kind": "cuda", "arch": device.target or device.arch}


def _number(arch: Any) -> int | None:
    match = _ARCH.fullmatch(arch) if isinstance(arch, str) else None
    return int(match[1]) if match else None


def compiler_target(arch: Any) -> str:
    """The compiler's target for an architecture such as "sm_90". Raises `AssertionError` (TL109) where it has none."""
    found = _TARGETS.get(_number(arch) or 0)
    if found is None:
        from tilelang.frontend.state import fail

        fail(
            AssertionError,
            109,
            f"Target of CUDA architecture {arch!r} is not supported",
            help="the architectures are " + ", ".join(f"sm_{number}" for number in _TARGETS),
        )
    return found


def target_of_array(value: Any) -> str | dict | None:
    """The target of the device where an array lies; None where that does not show."""
    try:
        kind, ordinal = map(int, value.__dlpack_device__())
    except (AttributeError, TypeError, ValueError, BufferError):
        return None
    if kind == 1:
        return "c"
    device = next((d for d in devices() if d.ordinal == ordinal), None)
    return target_for(device) if kind in (2, 13) and device else None


# --- compiling ---


def _package_folders() -> list[str]:
    """Folders of Python packages that hold some of NVIDIA's."""
    return [path for path in sys.path if path and os.path.isdir(os.path.join(path, "nvidia"))]


def find_compiler() -> str:
    """Finds NVRTC, or nvcc, for what is compiled from now on, and gives its stamp; it is not loaded. Raises
    `RuntimeError` (TL092) where there is none."""
    return str(_asked("cuda_toolchain", _package_folders()))


def toolchain_stamp() -> str:
    """Stands for the compiler of CUDA source; empty where there is none, which compiling will say."""
    try:
        return find_compiler()
    except TileLangError:
        return ""


def device_code(artifact: Any, form: str, flags: list[str]) -> str:
    """The PTX or SASS of a compiled artifact, by `form` "ptx" or "sass"."""
    find_compiler()
    return str(_asked("cuda_ptx", artifact, flags) if form == "ptx" else _asked("cuda_sass", artifact))


def status() -> dict[str, str]:
    """Versions of driver and compiler, or why there is none: `driver`, `driver_problem`, `compiler`, `compiler_path`,
    `compiler_problem`."""
    found = dict.fromkeys(("driver", "driver_problem", "compiler", "compiler_path", "compiler_problem"), "")
    try:
        version = int(_asked("cuda_driver_version"))
        found["driver"] = f"{version // 1000}.{version % 1000 // 10}"
    except TileLangError as error:
        found["driver_problem"] = _without_code(error)
    try:
        find_compiler()
        found["compiler"], found["compiler_path"] = (
            str(_asked("cuda_toolchain_version")),
            str(_asked("cuda_toolchain_path")),
        )
    except TileLangError as error:
        found["compiler_problem"] = _without_code(error)
    return found


def _without_code(error: TileLangError) -> str:
    """The first line of an error, without its number."""
    return re.sub(r"^error\[TL\d+\]: ", "", str(error).partition("\n")[0])
