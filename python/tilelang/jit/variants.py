"""The compiled variants of a kernel: the first at once, another when a call first takes it.

A CUDA kernel has a variant for what nearly all calls give (tensors aligned to 16 bytes, rows of whole vectors, sizes
that 32 bits count) and a general one. Compiling both at once would double the time until a new kernel runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tilelang._ffi import _load_tvm_ffi, fn
from tilelang.backend.cuda import find_compiler
from tilelang.engine.callback import rewriter_for
from tilelang.env import env
from tilelang.logger import logger

__all__ = ["Variants"]


class Variants:
    """The artifact of a kernel, which gains the binaries of later variants. `keep` is called with one that has."""

    def __init__(self, artifact: Any, request: Any, keep: Callable[[Any], None] | None = None):
        self.artifact = artifact
        self._name, self._target, self._flags = request.name, request.target, request.flags
        self._rewrite = rewriter_for(request.compiler_target)
        self._keep = keep
        self._lock = threading.Lock()

    def load(self):
        """The functions of `kernel_load`."""
        if len(fn.artifact_variants(self.artifact)) == 1:
            return fn.kernel_load(self.artifact)
        return fn.kernel_load_with_variants(self.artifact, _load_tvm_ffi().convert(self.binary))

    def names(self) -> list[str]:
        """What each variant with a source of its own rests on, the first one first."""
        return [str(name) for name, _source, _binary in fn.artifact_variants(self.artifact)]

    def source(self, variant: int) -> str:
        return str(fn.artifact_variants(self.artifact)[variant][1])

    def binary(self, variant: int) -> bytes:
        """The binary of a variant, compiled by the first call. Calls of kernels come here, from any thread."""
        with self._lock:
            name, source, binary = fn.artifact_variants(self.artifact)[variant]
            if not binary:
                self._compile(variant, str(name), str(source))
                _, _, binary = fn.artifact_variants(self.artifact)[variant]
            return bytes(binary)

    def _compile(self, variant: int, name: str, source: str) -> None:
        if env.is_print_on_compilation_enabled():
            logger.info("TileLang compiles kernel `%s` for a call that needs its variant `%s`", self._name, name)
        if self._rewrite is not None:
            source = self._rewrite(source, self._target)
        find_compiler()
        timeout, keep_files = env.get_compile_timeout_seconds() or 0.0, not env.should_cleanup_temp_files()
        self.artifact = fn.artifact_build_variant(self.artifact, variant, source, self._flags, timeout, keep_files)
        if self._keep is not None:
            self._keep(self.artifact)
