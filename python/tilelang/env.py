"""What the environment says. `env` reads each variable when it is asked for; assigning a member overrides it in the
process.

from tilelang.env import env
env.TILELANG_CACHE_DIR = "/tmp/kernels"
"""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

__all__ = [
    "Environment",
    "disable_cache",
    "enable_cache",
    "env",
    "get_runtime_library_dirs",
    "is_cache_enabled",
    "parse_pass_profile_threshold_ms",
    "prepend_dll_search_path",
    "prepend_pythonpath",
]

_TRUE = ("1", "true", "yes", "on")


def _first_folder(*candidates: str | None) -> str:
    return next((c for c in candidates if c and os.path.isdir(c)), "")


def _above_program(name: str) -> str | None:
    """The folder above the one that holds a program on PATH."""
    found = shutil.which(name)
    return str(Path(found).resolve().parent.parent) if found else None


def find_cuda_home() -> str:
    """The CUDA toolkit: CUDA_HOME, CUDA_PATH, above nvcc on PATH, the nvcc package of pip, the usual folder; else
    empty."""
    get = os.environ.get
    chosen = get("CUDA_HOME") or get("CUDA_PATH")
    return chosen or _first_folder(_above_program("nvcc"), _pip_nvcc(), "/usr/local/cuda")


def _pip_nvcc() -> str | None:
    import importlib.util

    for package in ("nvidia.cu13", "nvidia.cuda_nvcc"):
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            continue
        for location in (spec.submodule_search_locations or ()) if spec else ():
            if os.path.exists(os.path.join(location, "bin", "nvcc")):
                return location
    return None


def find_rocm_home() -> str:
    """The ROCm toolkit: ROCM_PATH, ROCM_HOME, above hipcc on PATH, the usual folder; else empty."""
    get = os.environ.get
    return get("ROCM_PATH") or get("ROCM_HOME") or _first_folder(_above_program("hipcc"), "/opt/rocm")


_PACKAGE = Path(__file__).resolve().parent

# Member of `Environment` -> default: a value, or a function that finds it.
_VARIABLES: dict[str, Any] = {
    "CUDA_HOME": find_cuda_home,
    "ROCM_HOME": find_rocm_home,
    "TILELANG_CACHE_DIR": lambda: os.path.expanduser("~/.tilelang/cache"),
    "TILELANG_PRINT_ON_COMPILATION": "1",
    "TILELANG_DISABLE_CACHE": "0",
    "TILELANG_KERNEL_CACHE_USE_LIB_STAMP": "0",
    "TILELANG_CLEANUP_TEMP_FILES": "1",
    "TILELANG_HIP_SAVE_TEMP_FILES": "0",
    "TILELANG_JIT_DIAGNOSTICS": "0",
    "TILELANG_COMPILE_TIMEOUT_SECONDS": "",
    "TILELANG_CUDA_COMPILER": "",
    "TILELANG_LIBCUDA": "",
    "TILELANG_PASS_DIFF": "0",
    "TILELANG_PASS_DIFF_OUTPUT": "tmp/pass_diff_output",
    "TL_LOWER_TRACE": "0",
    "TL_LOWER_TRACE_DIR": "./tmp/lower_trace_dir",
    "TILELANG_PASS_PROFILE": "0",
    "TILELANG_PASS_PROFILE_THRESHOLD_MS": "0",
    "TILELANG_ENABLE_IR_SPAN": "1",
    "TILELANG_ENABLE_DATA_RACE_CHECK": None,
    "TILELANG_AUTO_TUNING_DISABLE_CACHE": "0",
    "TILELANG_AUTO_TUNING_CPU_UTILITIES": "0.9",
    "TILELANG_AUTO_TUNING_CPU_COUNTS": "-1",
    "TILELANG_AUTO_TUNING_MAX_CPU_COUNT": "-1",
    "TILELANG_DEFAULT_TARGET": "auto",
    "TILELANG_TARGET": "",
    "TILELANG_EXECUTION_BACKEND": "auto",
    "TILELANG_VERBOSE": "0",
    "TILELANG_LAYOUT_COST_MODEL": None,
    "TL_CUTLASS_PATH": "",
    "TL_TEMPLATE_PATH": lambda: str(_PACKAGE / "src"),
    "TVM_IMPORT_PYTHON_PATH": None,
    "TVM_LIBRARY_PATH": "",
    "SKIP_LOADING_TILELANG_SO": "0",
    "TILELANG_CUTEDSL_HOST_LAUNCHER": None,
    "TILELANG_CUTEDSL_REQUIRE_CUTLASS_HOST": "0",
    "TILELANG_CUTEDSL_REQUIRE_TVMFFI": "0",
    "TILELANG_DISABLE_CLANG_CL": "0",
    "TL_IKET_OUTPUT_DIR": None,
    "ASCEND_NPU_ARCH": None,
    "ASCEND_HOME_PATH": None,
    "BISHENG_HOME": None,
}
# Names that programs use for the same members.
_ALIASES = {
    "CUDA_PATH": "CUDA_HOME",
    "ROCM_PATH": "ROCM_HOME",
    "CUTLASS_INCLUDE_DIR": "TL_CUTLASS_PATH",
    "TILELANG_TEMPLATE_PATH": "TL_TEMPLATE_PATH",
}


def _is_true(value: Any) -> bool:
    return str(value).strip().lower() in _TRUE


def parse_pass_profile_threshold_ms(value: object, name: str = "pass profile threshold") -> float:
    """A number of milliseconds that is not negative; else `ValueError`."""
    return _non_negative(value, name, "must be a non-negative number")


def _non_negative(value: object, name: str, requirement: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not number >= 0:
        raise ValueError(f"{name} {requirement}, not {value!r}")
    return number


class Environment:
    """The environment variables that the package knows, as members; see the module."""

    __slots__ = ("_chosen",)

    def __init__(self):
        object.__setattr__(self, "_chosen", {})

    def __getattr__(self, name: str) -> Any:
        name = _ALIASES.get(name, name)
        if name not in _VARIABLES:
            raise AttributeError(f"the environment of tilelang has no variable {name!r}")
        if name in self._chosen:
            return self._chosen[name]
        if name in os.environ:
            return os.environ[name]
        default = _VARIABLES[name]
        return default() if callable(default) else default

    def __setattr__(self, name: str, value: Any) -> None:
        name = _ALIASES.get(name, name)
        if name not in _VARIABLES:
            raise AttributeError(f"the environment of tilelang has no variable {name!r}")
        self._chosen[name] = value

    def __delattr__(self, name: str) -> None:
        """Ends an override: the variable counts again."""
        name = _ALIASES.get(name, name)
        if name not in self._chosen:
            raise AttributeError(f"{name!r} is not overridden")
        del self._chosen[name]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *_VARIABLES, *_ALIASES})

    @property
    def env(self) -> Environment:
        """This object, so that `tilelang.env.env` is what `from tilelang.env import env` gives."""
        return self

    def get_default_target(self) -> str | dict:
        """A target's name, or the dict that a JSON object in the variable describes. `TILELANG_TARGET`, which examples
        are run with, counts where `TILELANG_DEFAULT_TARGET` leaves the choice."""
        text = self.TILELANG_DEFAULT_TARGET
        if text in ("", "auto"):
            text = self.TILELANG_TARGET
        if isinstance(text, str) and text.lstrip().startswith("{"):
            try:
                return json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"TILELANG_DEFAULT_TARGET is no JSON object: {error}") from None
        return text or "auto"

    def get_default_execution_backend(self) -> str:
        return self.TILELANG_EXECUTION_BACKEND or "auto"

    def get_default_verbose(self) -> bool:
        return _is_true(self.TILELANG_VERBOSE)

    def get_default_layout_cost_model(self) -> str | None:
        return self.TILELANG_LAYOUT_COST_MODEL or None

    def get_compile_timeout_seconds(self) -> float | None:
        """Seconds after which a source compiler is stopped; None and 0: never."""
        value = self.TILELANG_COMPILE_TIMEOUT_SECONDS
        if value is None or str(value).strip() == "":
            return None
        return _non_negative(value, "TILELANG_COMPILE_TIMEOUT_SECONDS", "must be empty or a non-negative number")

    def _mode(self, value: Any, first: str) -> str | None:
        """The mode that a variable names; a plain "true" is `first`, a false one None."""
        text = str(value or "").strip().lower()
        if text in _TRUE:
            return first
        return text if text not in ("", "0", "false", "no", "off") else None

    def get_pass_diff_mode(self) -> str | None:
        return self._mode(self.TILELANG_PASS_DIFF, "terminal")

    def get_lower_trace_mode(self) -> str | None:
        return self._mode(self.TL_LOWER_TRACE, "html")

    def get_lower_trace_dir(self) -> str:
        return self.TL_LOWER_TRACE_DIR

    def get_pass_profile_threshold_ms(self) -> float:
        return parse_pass_profile_threshold_ms(
            self.TILELANG_PASS_PROFILE_THRESHOLD_MS, "TILELANG_PASS_PROFILE_THRESHOLD_MS"
        )

    def is_cache_enabled(self) -> bool:
        return CacheState.is_enabled() and not self.is_cache_globally_disabled()

    def enable_cache(self) -> None:
        CacheState.enable()

    def disable_cache(self) -> None:
        CacheState.disable()

    def is_cache_globally_disabled(self) -> bool:
        return _is_true(self.TILELANG_DISABLE_CACHE)

    def is_autotune_cache_disabled(self) -> bool:
        return _is_true(self.TILELANG_AUTO_TUNING_DISABLE_CACHE)

    def is_print_on_compilation_enabled(self) -> bool:
        return _is_true(self.TILELANG_PRINT_ON_COMPILATION)

    def is_jit_diagnostics_enabled(self) -> bool:
        return _is_true(self.TILELANG_JIT_DIAGNOSTICS)

    def is_pass_profile_enabled(self) -> bool:
        return _is_true(self.TILELANG_PASS_PROFILE)

    def is_span_enable(self) -> bool:
        return _is_true(self.TILELANG_ENABLE_IR_SPAN)

    def is_light_import(self) -> bool:
        return _is_true(self.SKIP_LOADING_TILELANG_SO)

    def is_running_autodd(self) -> bool:
        return False

    def should_cleanup_temp_files(self) -> bool:
        return _is_true(self.TILELANG_CLEANUP_TEMP_FILES)

    def should_use_kernel_cache_lib_stamp(self) -> bool:
        return _is_true(self.TILELANG_KERNEL_CACHE_USE_LIB_STAMP)


class CacheState:
    """The switch of the kernel cache in this process."""

    _enabled = True

    @classmethod
    def enable(cls) -> None:
        cls._enabled = True

    @classmethod
    def disable(cls) -> None:
        cls._enabled = False

    @classmethod
    def is_enabled(cls) -> bool:
        return cls._enabled


env = Environment()

_TARGET_VARIABLES = ("TILELANG_DEFAULT_TARGET", "TILELANG_TARGET")
_ENCODED = tuple(os.fsencode(name) for name in _TARGET_VARIABLES)
_encoded_variables = getattr(os.environ, "_data", None)


# What a compile call reads of the environment, beside its arguments.
_DECIDING = tuple(
    os.fsencode(name)
    for name in (
        *_TARGET_VARIABLES, "TILELANG_EXECUTION_BACKEND", "TILELANG_LAYOUT_COST_MODEL", "TILELANG_DISABLE_CACHE",
        "TILELANG_KERNEL_CACHE_USE_LIB_STAMP", "TILELANG_CACHE_DIR", "TILELANG_CUDA_COMPILER", "CUDA_HOME", "CUDA_PATH",
        "CXX", "PATH", "LD_LIBRARY_PATH",
    )
)  # fmt: skip


def compile_key() -> object:
    """Changes when a variable that decides what a compile call gives may have changed; takes a microsecond."""
    chosen = tuple(map(repr, env._chosen.items())) if env._chosen else ()
    if isinstance(_encoded_variables, dict):
        return (*map(_encoded_variables.get, _DECIDING), chosen)
    return (*map(os.environ.get, map(os.fsdecode, _DECIDING)), chosen)


def default_target_key() -> object:
    """Changes when `env.get_default_target()` may have changed; a tenth of its time, for use at every call."""
    chosen = env._chosen
    if chosen and any(name in chosen for name in _TARGET_VARIABLES):
        return repr(env.get_default_target())
    if isinstance(_encoded_variables, dict):
        get = _encoded_variables.get
        return get(_ENCODED[0]), get(_ENCODED[1])
    return os.environ.get(_TARGET_VARIABLES[0]), os.environ.get(_TARGET_VARIABLES[1])


def enable_cache() -> None:
    """Turns the kernel cache on in this process (as it is at first); `TILELANG_DISABLE_CACHE` wins."""
    CacheState.enable()


def disable_cache() -> None:
    """Turns the kernel cache off in this process: every compile compiles."""
    CacheState.disable()


def is_cache_enabled() -> bool:
    """Whether compiled kernels are looked up and kept, in memory and on disk."""
    return env.is_cache_enabled()


def get_runtime_library_dirs() -> list[str]:
    """Folders in which the compiled library is looked for, the first choice first."""
    from .libinfo import library_directories

    return [str(path) for path in library_directories()]


def prepend_dll_search_path(paths: list[str]) -> None:
    """Puts folders first on the loader's path of programs that this process starts."""
    old = [p for p in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join([*map(str, paths), *(p for p in old if p not in paths)])


def prepend_pythonpath(path: str) -> None:
    """Puts a folder first on Python's path, here and in processes that are started."""
    import sys

    old = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    os.environ["PYTHONPATH"] = os.pathsep.join([path, *(p for p in old if p != path)])
    sys.path.insert(0, path)


def __getattr__(name: str) -> str:
    """The toolchains' folders are looked for only when asked for."""
    if name in ("CUDA_HOME", "ROCM_HOME"):
        return getattr(env, name)
    raise AttributeError(f"module 'tilelang.env' has no attribute {name!r}")
