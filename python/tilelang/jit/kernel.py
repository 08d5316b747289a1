"""A compiled kernel."""

from __future__ import annotations

import functools
import sys
from typing import Any

from tilelang._ffi import fn
from tilelang.backend.target import is_cuda, is_simulated
from tilelang.errors import error_class
from tilelang.logger import logger

from .call import Caller
from .kernel_source import KernelSource
from .variants import Variants

__all__ = ["JITKernel"]


class JITKernel(KernelSource):
    """A kernel that is loaded and can be called with arrays, without copies: on the host those of PyTorch and NumPy, on
    a CUDA device those of PyTorch, CuPy, JAX and whatever else has DLPack, in the current stream.

    Outputs are not passed: they are allocated where the first array argument lives, and returned, one by itself,
    several as a list, none as an empty list.
    """

    # Each kernel has its own function to be called: no frame of Python's stands between the user and a launch.
    __slots__ = ("__call__",)

    # Set by the autotuner.
    latency: float | None = None
    config: dict[str, Any] | None = None
    ref_latency: float | None = None
    # Whether a compile call has got it from memory.
    was_found = False

    def __init__(
        self,
        func=None,
        out_idx: list[int] | int | None = None,
        execution_backend: str = "tvm_ffi",
        target: Any = "auto",
        target_host: Any = None,
        verbose: bool = False,
        pass_configs: dict[str, Any] | None = None,
        from_database: bool = False,
        compile_flags: Any = None,
        backend_context: Any = None,
    ):
        """Compiles `func` now, without the caches."""
        from .build import Request, build

        request = Request.of(
            func, out_idx, target, target_host, execution_backend, verbose, pass_configs, compile_flags
        )
        self._load(request, build(request))

    @classmethod
    def _loaded(cls, request, artifact, keep=None) -> JITKernel:
        """`keep` is called with the artifact whenever another variant of it has been compiled."""
        self = cls.__new__(cls)
        self._load(request, artifact, keep)
        return self

    @classmethod
    def from_tilelang_function(cls, tilelang_func, **kwargs: Any) -> JITKernel:
        """Compiles a traced function, with the keywords of the constructor."""
        return cls(tilelang_func, **kwargs)

    def _load(self, request, artifact, keep=None) -> None:
        self._variants = Variants(artifact, request, keep)
        self.prim_func = request.function
        self.params = request.kernel_params()
        self.target, self.target_host = request.target, request.target_host
        self.execution_backend = request.backend
        self.pass_configs = dict(request.pass_configs)
        self.compile_flags, self._flags = request.given_flags, request.flags
        self.verbose = request.verbose
        self._out_idx = list(request.out_idx)
        self._caller = Caller(
            request.function, self.params, self._out_idx, is_cuda(request.target), self._variants.load()
        )
        JITKernel.__call__.__set__(self, self._caller.entry())  # a subclass may have a `__call__` of its own
        _send_texts_to_python()
        if is_simulated(request.target):
            _say_simulated(request.name)

    @property
    def artifact(self):
        return self._variants.artifact

    @property
    def out_idx(self) -> list[int]:
        """Numbers of the parameters that are outputs, none negative."""
        return list(self._out_idx)

    @property
    def torch_function(self):
        return self

    @property
    def adapter(self):
        """What launches the kernel: the kernel itself."""
        return self

    @property
    def func(self):
        raise AttributeError("'JITKernel' object has no attribute 'func'")

    # --- timing ---

    def get_profiler(self, tensor_supply_type=None):
        """A profiler that makes this kernel's inputs and times it."""
        from tilelang.profiler import Profiler, TensorSupplyType

        supply = TensorSupplyType.Auto if tensor_supply_type is None else tensor_supply_type
        return Profiler(self.params, self.out_idx, supply, self)

    def run_once(self, func=None) -> None:
        """Calls the kernel once with inputs that the profiler makes."""
        self.get_profiler().run_once(func)

    def update_tuner_result(self, latency: float, config: dict[str, Any], ref_latency: float) -> JITKernel:
        self.latency, self.config, self.ref_latency = latency, config, ref_latency
        return self

    def get_tuner_result(self) -> dict[str, Any]:
        """The autotuner's result. Raises `ValueError` for a kernel that was not tuned."""
        if self.latency is None:
            raise error_class(ValueError)("Tuning results are not available. Please tune the kernel first.")
        return {"latency": self.latency, "config": self.config, "ref_latency": self.ref_latency}

    def __repr__(self) -> str:
        return f"<JITKernel {self.prim_func.name} for {self.target!r}>"


_texts_go_to_python = False


@functools.cache
def _say_simulated(name: str) -> None:
    """Once for a kernel's name."""
    logger.warning("no NPU is used: `%s` runs in the simulator of Ascend 950 on this machine's processor", name)


def _send_texts_to_python() -> None:
    """What kernels print goes to `sys.stdout`, so that notebooks, pytest and redirection see it, in order; warnings of
    calls are logged."""
    global _texts_go_to_python
    if _texts_go_to_python:
        return
    from tilelang._ffi import _load_tvm_ffi

    def write(text) -> None:
        sys.stdout.write(str(text))
        sys.stdout.flush()

    fn.set_print_function(_load_tvm_ffi().convert(write))
    fn.set_warning_function(_load_tvm_ffi().convert(lambda text: logger.warning(str(text))))
    _texts_go_to_python = True
