"""Names of targets, as programs spell them, and the machine that each means.

A target is a string (`"c"`), a dict (`{"kind": "cuda", "arch": "sm_90a"}`) or a `tvm.target.Target`. `"c"`,
`"llvm"` and `"cpu"` are one: the host's processor. `"interpret"` runs the meaning of the program, with checks. `"cuda"`
without an architecture is the current device's, sm_90a where there is none. `"ascend"` is the Ascend 950, whose kernels
run in a simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tilelang.backend import cuda
from tilelang.env import env
from tilelang.errors import error_class

__all__ = [
    "TargetDetectorSpec",
    "TargetNormalizerSpec",
    "auto_detect_target",
    "determine_target",
    "list_target_detectors",
    "register_target_detector",
    "register_target_normalizer",
]

_HOST_KINDS = ("c", "llvm", "cpu", "host")
# Kinds of the language that this version does not compile for yet.
_OTHER_KINDS = ("cutedsl", "hip", "rocm", "metal", "webgpu", "pto", "tileir")
_KINDS = (*_HOST_KINDS, "interpret", "cuda", "ascend", *_OTHER_KINDS)
_OPTION_NAMES = {"mcpu": "mcpu", "arch": "arch", "code": "code", "keys": "keys"}


@dataclass(frozen=True)
class TargetDetectorSpec:
    """`detect()` gives a target where the machine has one of its kind, else None."""

    name: str
    detect: Callable[[], Any]


@dataclass(frozen=True)
class TargetNormalizerSpec:
    """`normalize(target)` gives another form of the target, or None where it has nothing to say."""

    name: str
    normalize: Callable[[Any], Any]


_detectors: dict[str, TargetDetectorSpec] = {}
_normalizers: dict[str, TargetNormalizerSpec] = {}


def register_target_detector(name: str, detect: Callable, *, override: bool = False) -> TargetDetectorSpec:
    """Adds a detector that `"auto"` asks before it means the host. Raises `ValueError` for a name that is taken."""
    return _register(_detectors, name, TargetDetectorSpec(name, detect), override, "detector")


def register_target_normalizer(name: str, normalize: Callable, *, override: bool = False) -> TargetNormalizerSpec:
    """Adds a normalizer, which sees every target first. Raises `ValueError` for a name that is taken."""
    return _register(_normalizers, name, TargetNormalizerSpec(name, normalize), override, "normalizer")


def _register(table: dict, name: str, spec, override: bool, what: str):
    if name in table and not override:
        raise error_class(ValueError)(f"Target {what} `{name}` is already registered; pass override=True to replace it")
    table[name] = spec
    return spec


def list_target_detectors() -> tuple[str, ...]:
    """Names of the registered detectors, in the order in which they are asked."""
    return tuple(_detectors)


def has_registered_targets() -> bool:
    """Whether functions of the user decide what a target means."""
    return bool(_detectors or _normalizers)


def auto_detect_target() -> str | dict:
    """The target of this machine: the first that a detector finds, else its CUDA device, else the host's processor."""
    for spec in tuple(_detectors.values()):
        found = spec.detect()
        if found is not None:
            return found
    device = cuda.current_device()
    return cuda.target_for(device) if device is not None and device.target else "c"


def determine_target(target: Any = "auto", return_object: bool = False) -> Any:
    """The target that `target` means on this machine: a string or a dict, or a `Target` with `return_object`.

    `"auto"` is the current `tvm.target.Target` scope, else the target that the environment names, else what the machine
    has. None is the environment's. A CUDA target comes out with its architecture. Raises `AssertionError` for what is
    no target, and for an architecture that is none.
    """
    found = _with_arch(_normalized(_named(target)))
    if return_object:
        from tilelang.tvm.target import Target

        return found if isinstance(found, Target) else Target(found)
    return found


def _named(target: Any) -> Any:
    if target is None:
        target = env.get_default_target()
    if target != "auto":
        return target
    from tilelang.tvm.target import Target

    current = Target.current(allow_none=True)
    if current is not None:
        return current
    named = env.get_default_target()
    return named if named != "auto" else auto_detect_target()


def target_is_open() -> bool:
    """Whether nothing around a kernel that names no target names one: no scope, no variable, no detector."""
    from tilelang.tvm.target import Target

    return Target.current(allow_none=True) is None and env.get_default_target() == "auto" and not _detectors


def _normalized(target: Any) -> Any:
    for spec in tuple(_normalizers.values()):
        changed = spec.normalize(target)
        if changed is not None:
            target = changed
    if isinstance(target, str):
        words = target.split()
        if len(words) == 1 and words[0] in _KINDS:
            return words[0]
        if words and words[0] in _KINDS:
            return _parse_options(target, words)
    elif isinstance(target, Mapping) and target.get("kind") in _KINDS:
        return dict(target)
    elif hasattr(target, "kind") and getattr(target.kind, "name", None) in _KINDS:
        return target
    _refuse(AssertionError, f"Target {target!r} is not supported. Pass target options as a dict")


def _with_arch(target: Any) -> Any:
    if kind_of(target) != "cuda":
        return target
    options = {"kind": "cuda"} if isinstance(target, str) else _options(target)
    if options.get("arch"):
        cuda.compiler_target(options["arch"])
        return target
    complete = {**options, **cuda.target_for(cuda.current_device())}
    if isinstance(target, (str, Mapping)):
        return complete
    return type(target)(complete, target.host)


def _options(target: Any) -> dict:
    return dict(target) if isinstance(target, Mapping) else target.export()


def _refuse(kind: type, message: str):
    from tilelang.frontend.state import fail

    kinds = ", ".join(_KINDS)
    fail(kind, 109, message, help=f'the kinds are {kinds}; a dict is such as {{"kind": "cuda", "arch": "sm_90a"}}')


def _parse_options(text: str, words: list[str]) -> dict:
    """Older programs pass options as on a command line: `cuda -arch=sm_90`."""
    options = {"kind": words[0]}
    for word in words[1:]:
        name, equals, value = word.lstrip("-").partition("=")
        if not (word.startswith("-") and equals and name in _OPTION_NAMES):
            _refuse(AssertionError, f"Target {text!r} is not supported. Pass target options as a dict")
        options[name] = value
    return options


def kind_of(target: Any) -> str:
    """The kind of a target that `determine_target` has given."""
    if isinstance(target, str):
        return target
    return target["kind"] if isinstance(target, Mapping) else target.kind.name


def compiler_target(target: Any) -> str:
    """The compiler's own name for a target: "host", "interpret", "ascend950", or a CUDA architecture.

    Raises `ValueError` for one it does not compile for.
    """
    kind = kind_of(target)
    if kind in _HOST_KINDS:
        return "host"
    if kind == "interpret":
        return kind
    if kind == "cuda":
        complete = _with_arch(target)
        return cuda.compiler_target(_options(complete)["arch"])
    if kind == "ascend":
        return _ascend_machine(target)
    raise error_class(ValueError)(
        f"Target `{kind}` is not supported by this version, which compiles for the host's processor "
        "(`c`, `llvm`, `cpu`), for `cuda`, for `ascend` and for `interpret`"
    )


# Architectures of Ascend cores, and the compiler's name of the machine.
_ASCEND_MACHINES = {"dav-3510": "ascend950"}


def _ascend_machine(target: Any) -> str:
    options = {} if isinstance(target, str) else _options(target)
    arch = options.get("arch") or options.get("mcpu") or "dav-3510"
    if arch not in _ASCEND_MACHINES:
        known = ", ".join(_ASCEND_MACHINES)
        raise error_class(ValueError)(f"Ascend architecture `{arch}` is not supported; this version has {known}")
    return _ASCEND_MACHINES[arch]


def is_simulated(target: Any) -> bool:
    """Whether kernels for the target run in the simulator on this machine."""
    return kind_of(target) == "ascend"


def is_host(target: Any) -> bool:
    return kind_of(target) in _HOST_KINDS


def is_cuda(target: Any) -> bool:
    return kind_of(target) == "cuda"


# Names of backends, by the kind of the target, in the order in which messages list them.
_CUDA_BACKENDS = ("tvm_ffi", "nvrtc", "cython")
_HOST_BACKENDS = ("tvm_ffi", "cython", "nvrtc")
# Kernels of the host have one launcher, whatever it is called.
_OTHER_BACKENDS = ("torch", "cutedsl")


def resolve_execution_backend(backend: str | None, target: Any) -> str:
    """The name of the execution backend. Kernels have one launcher; the names are those that programs pass.

    Raises `ValueError` for a name that is none.
    """
    backend = backend or env.get_default_execution_backend()
    if backend in ("auto", "dlpack"):
        return "tvm_ffi"
    kind = kind_of(target)
    allowed = _CUDA_BACKENDS if kind == "cuda" else _HOST_BACKENDS
    if backend in allowed or (kind != "cuda" and backend in _OTHER_BACKENDS):
        return backend
    raise error_class(ValueError)(
        f"Invalid execution backend '{backend}' for target '{kind}'. Allowed: {', '.join(allowed)}"
    )
