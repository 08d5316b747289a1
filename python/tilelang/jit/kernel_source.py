"""What a kernel was compiled from and to: its source, its library, the code of its device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilelang._ffi import fn
from tilelang.backend import cuda
from tilelang.backend.target import is_cuda
from tilelang.errors import error_class
from tilelang.logger import logger

# The files of an artifact that may be its binary.
_BINARIES = ("kernel_lib.so", "kernel.cubin")


class KernelSource:
    """The part of `JITKernel` that shows and exports. Needs its `artifact`, `prim_func`, `target`, `_flags` and
    `_variants`. What is shown and exported is the first variant, unless another is named by its number.
    """

    # --- generated source ---

    @property
    def kernel_source(self) -> str:
        """The source that was compiled for the target, with the user's lines as comments."""
        return self._annotated(0)

    def _annotated(self, variant: int) -> str:
        return str(fn.function_annotate_source(self.prim_func.handle, self._variants.source(variant)))

    @property
    def variants(self) -> list[str]:
        """What each variant of the kernel rests on, such as "tensors aligned to 16 bytes" and "general": a call takes
        the first that fits its arguments. Those after the first are compiled when a call needs them."""
        return self._variants.names()

    @property
    def host_source(self) -> str:
        """How a call is bound and launched, as text."""
        return str(fn.artifact_text(self.artifact, "host_source"))

    def get_kernel_source(self, kernel_only: bool = True, variant: int = 0) -> str:
        """The target's source of a variant, by its number in `variants`, and the host's before it unless
        `kernel_only`."""
        if not 0 <= variant < len(self.variants):
            raise error_class(ValueError)(f"kernel {self.prim_func.name} has no variant {variant}: {self.variants}")
        source = self._annotated(variant)
        return source if kernel_only else f"{self.host_source}\n\n{source}"

    def get_host_source(self) -> str:
        return self.host_source

    def _source_of(self, which: str) -> str:
        sources = {"kernel": self.kernel_source, "host": self.host_source, "both": self.get_kernel_source(False)}
        if which not in sources:
            raise error_class(ValueError)(f"Unknown option for 'which': {which}; use kernel, host or both")
        return sources[which]

    def show_source(self, which: str = "kernel") -> None:
        """Prints the kernel's source, the host's or both. What goes wrong is logged, not raised."""
        try:
            print(self._source_of(which))
        except Exception as error:
            logger.error("Failed to show source code: %s", error)

    def export_sources(self, kernel_path: str | None = None, host_path: str | None = None) -> None:
        """Writes the sources to files; folders are made. Raises `ValueError` where neither path is given."""
        if kernel_path is None and host_path is None:
            raise error_class(ValueError)("At least one of kernel_path or host_path must be provided")
        for path, text in ((kernel_path, self.kernel_source), (host_path, self.host_source)):
            if path is not None:
                _write(path, text.encode())

    def print_source_code(self, which: str = "kernel", file: str | None = None) -> None:
        """The older form of `show_source` and `export_sources`."""
        import warnings

        warnings.warn(
            "print_source_code is deprecated, use show_source or export_sources", DeprecationWarning, stacklevel=2
        )
        if file is None:
            self.show_source(which)
        else:
            Path(file).write_text(self._source_of(which))

    def export_library(self, kernel_file: str) -> None:
        """Writes the compiled library, or a CUDA kernel's cubin. Raises `AttributeError` for a kernel that has none."""
        files = fn.artifact_files(self.artifact)
        library = next((files[name] for name in _BINARIES if name in files), None)
        if library is None:
            raise error_class(AttributeError)(f"Runtime module is not available for target {self.target!r}")
        _write(kernel_file, bytes(library))

    # --- code of the device ---

    def _device_code(self, form: str) -> str:
        if not is_cuda(self.target):
            raise error_class(ValueError)(
                f"{form.upper()} exists for CUDA kernels only; `{self.prim_func.name}` is compiled for {self.target!r}"
            )
        return cuda.device_code(self.artifact, form, self._flags)

    def get_ptx(self) -> str:
        """The PTX of a CUDA kernel. Raises `ValueError` for a kernel of another target."""
        return self._device_code("ptx")

    @property
    def resource_usage(self) -> dict[str, dict[str, int]]:
        """Of each compiled kernel of a CUDA artifact: `n_regs` a thread, and bytes: `n_spills`, `static_shared`,
        `dynamic_shared`; `variant` says which variant it belongs to. Those of the first variant come first, by their
        names in the source; a kernel of another is called such as "main_kernel (general)". Empty for other targets.
        """
        if not is_cuda(self.target):
            return {}
        names = ("n_regs", "n_spills", "static_shared", "dynamic_shared")
        found: dict[str, dict[str, Any]] = {}
        for symbol, variant, *numbers in fn.artifact_usage(self.artifact):
            name = f"{symbol} ({variant})" if str(symbol) in found else str(symbol)
            found[name] = {**dict(zip(names, map(int, numbers))), "variant": str(variant)}
        return found

    def _most(self, what: str) -> int | None:
        usage = list(self.resource_usage.values())
        first = [row[what] for row in usage if row["variant"] == usage[0]["variant"]]
        return max(first, default=None)

    @property
    def n_regs(self) -> int | None:
        """Registers of a thread in the first variant, the most of its kernels; None on the host."""
        return self._most("n_regs")

    @property
    def n_spills(self) -> int | None:
        """Bytes that a thread keeps in memory for want of registers, as `n_regs`."""
        return self._most("n_spills")

    def get_sass(self) -> str:
        """The machine code of a CUDA kernel as text. Raises `ValueError` for a kernel of another target, `RuntimeError`
        where the toolkit that disassembles is not found."""
        return self._device_code("sass")

    def _show(self, form: str) -> None:
        try:
            print(self._device_code(form))
        except Exception as error:
            logger.error("Failed to show %s: %s", form.upper(), error)

    def _export(self, form: str, path: str) -> None:
        if not path:
            raise error_class(ValueError)(f"path must be provided to export {form.upper()}")
        try:
            _write(path, self._device_code(form).encode())
        except Exception as error:
            logger.error("Failed to export %s: %s", form.upper(), error)

    def show_ptx(self) -> None:
        """Prints the PTX. What goes wrong is logged, not raised; so with `show_sass` and the exports."""
        self._show("ptx")

    def show_sass(self) -> None:
        self._show("sass")

    def export_ptx(self, path: str) -> None:
        """Writes the PTX to a file. Raises `ValueError` for an empty path."""
        self._export("ptx", path)

    def export_sass(self, path: str) -> None:
        self._export("sass", path)


def _write(path: str, content: bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content)
