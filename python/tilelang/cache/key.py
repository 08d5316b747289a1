"""What a compiled kernel depends on, as one key."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from tilelang._ffi import fn
from tilelang._version import __version__
from tilelang.backend.cuda import toolchain_stamp
from tilelang.backend.target import is_cuda, is_simulated
from tilelang.env import env
from tilelang.libinfo import find_library

from . import store


def cache_key(request) -> str:
    """The SHA-256 of everything that decides about the kernel of a request, in hexadecimal.

    The function counts by its text without source positions, so that a comment above it changes nothing.
    """
    fields = {
        "function": request.text,
        "out_idx": request.out_idx,
        "args": request.extra_key,
        "target": _plain(request.target),
        "target_host": _plain(request.target_host),
        "compiler_target": request.compiler_target,
        "execution_backend": request.backend,
        "pass_configs": _plain(request.pass_configs),
        "compile_flags": request.flags,
        "version": __version__,
        "library": _library_stamp(env.should_use_kernel_cache_lib_stamp()),
    }
    if request.compiler_target == "host" or is_simulated(request.target):
        fields["toolchain"] = str(fn.toolchain_stamp(str(store.platform_folder())))
        fields["processor"] = _processor()
    elif is_cuda(request.target):
        # What runs there is the same whatever the host's processor is.
        fields["toolchain"] = toolchain_stamp()
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        # Keys differ in the type of a value too: 1 and True are two.
        return {str(k): [type(v).__name__, _plain(v)] for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


@functools.cache
def _library_stamp(by_content: bool) -> str:
    """Another build of the compiled library, another stamp: by its size and time, or by its content where asked for."""
    path = find_library()
    if by_content:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    found = path.stat()
    return f"{found.st_size} {found.st_mtime_ns}"


@functools.cache
def _processor() -> str:
    return str(fn.host_cpu_identity())
