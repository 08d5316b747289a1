"""What a kernel was compiled from and to: its source, its library, the code of its device."""

from __future__ import annotations

from pathlib import Path

from tilelang._ffi import fn
from tilelang.backend import cuda
from tilelang.backend.target import is_cuda
from tilelang.errors import error_class
from tilelang.logger import logger

# The files of an artifact that may be its binary.
_BINARIES = ("kernel_lib.so", "kernel.cubin")


class KernelSource:
    """The part of `JITKernel` that shows and exports. Needs its `artifact`, `prim_func`, `target`, and `_flags`."""

    # --- generated source ---

    @property
    def kernel_source(self) -> str:
        """The source that was compiled for the target, with the user's lines as comments."""
        source = fn.artifact_text(self.artifact, "source")
        return str(fn.function_annotate_source(self.prim_func.handle, source))

    @property
    def host_source(self) -> str:
        """How a call is bound and launched, as text."""
        return str(fn.artifact_text(self.artifact, "host_source"))

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The target's source, and the host's before it unless `kernel_only`."""
        return self.kernel_source if kernel_only else f"{self.host_source}\n\n{self.kernel_source}"

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
        """Of each kernel of a CUDA artifact, by name: `n_regs` a thread, and bytes: `n_spills`, `static_shared`,
        `dynamic_shared`. Empty for other targets."""
        if not is_cuda(self.target):
            return {}
        names = ("n_regs", "n_spills", "static_shared", "dynamic_shared")
        return {str(row[0]): dict(zip(names, map(int, row[1:]))) for row in fn.artifact_usage(self.artifact)}

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
