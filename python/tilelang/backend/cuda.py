"""CUDA devices of this machine, and the architectures that kernels are compiled for.

Everything that Python asks of the CUDA side of the library goes through here. Nothing needs a driver or a device but
what says so.
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass
from typing import Any

from tilelang._ffi import fn
from tilelang.errors import InternalError

# Compute capability -> the compiler's target. A machine runs code made for a smaller minor number of its own major one,
# but for targets with an `a`, which run on that capability alone.
_TARGETS = {
    75: "sm_75",
    80: "sm_80",
    86: "sm_86",
    87: "sm_80",
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
    """A CUDA device: `arch` is such as "sm_90", `memory` in bytes."""

    ordinal: int
    name: str
    arch: str
    memory: int

    @property
    def capability(self) -> tuple[int, int]:
        return divmod(int(self.arch.removeprefix("sm_")), 10)


def _asked(name: str, *args: Any, without: Any) -> Any:
    """What a function of the library gives; `without` where the library is built without it."""
    try:
        function = getattr(fn, name)
    except InternalError:
        return without
    return function(*args)


@functools.cache
def devices() -> tuple[Device, ...]:
    """The devices that this process can use; none without a driver. Initialises the driver, makes no context."""
    rows = _asked("cuda_devices", without=())
    return tuple(Device(int(at), str(name), str(arch), int(memory)) for at, name, arch, memory in rows)


def current_device() -> Device | None:
    """PyTorch's current device where it uses one, else the first; None where there is none."""
    found = devices()
    torch = sys.modules.get("torch")
    at = torch.cuda.current_device() if found and torch is not None and torch.cuda.is_initialized() else 0
    return next((device for device in found if device.ordinal == at), None)


def current_arch_key() -> str | None:
    """The architecture of the current device where this machine has several; asks for devices only if someone has."""
    if not devices.cache_info().currsize or len({device.arch for device in devices()}) < 2:
        return None
    device = current_device()
    return device.arch if device else None


def target_for(device: Device | None) -> dict[str, Any]:
    """The target of a device, or of any machine where there is none."""
    if device is None:
        return {"kind": "cuda", "arch": DEFAULT_ARCH}
    return {"kind": "cuda", "arch": _TARGETS.get(_number(device.arch) or 0, device.arch)}


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


def toolchain_stamp() -> str:
    """Stands for the compiler of CUDA source, which is not loaded for it."""
    return str(_asked("cuda_toolchain_stamp", without=""))


def device_code(artifact: Any, form: str) -> str:
    """The PTX or SASS of a compiled artifact, by `form` "ptx" or "sass"."""
    return str(fn.artifact_device_code(artifact, form))


def status() -> dict[str, str]:
    """Versions of driver and NVRTC, or why there is none: `driver`, `driver_problem`, `nvrtc`, `nvrtc_path`,
    `nvrtc_problem`."""
    missing = "the library is built without CUDA"
    without = {"driver_problem": missing, "nvrtc_problem": missing}
    found = _asked("cuda_status", without=without)
    names = ("driver", "driver_problem", "nvrtc", "nvrtc_path", "nvrtc_problem")
    return {name: str(found[name]) if name in found else "" for name in names}
