"""A compiled kernel."""

from __future__ import annotations

import sys
from typing import Any

from tilelang._ffi import fn, translated
from tilelang.backend import cuda_fork
from tilelang.backend.target import is_cuda
from tilelang.errors import error_class

from .arguments import framework_stream, pack, scalar, torch_types, without_unreadable
from .kernel_source import KernelSource
from .outputs import OutputMaker
from .variants import Variants

__all__ = ["JITKernel"]


def _failed(error: Exception, kernel: JITKernel, args) -> Exception:
    """The error of ours for one that a call has raised."""
    ours = translated(error)
    if ours is not error:
        return ours
    described = without_unreadable(args)
    if described is None:
        return error
    try:
        kernel(*described)
    except Exception as named:
        return named
    return error


def _is_of_exchange(error: Exception) -> bool:
    """Whether an argument could not be handed to the library at all: nothing has run."""
    return isinstance(error, (TypeError, ValueError, BufferError)) and translated(error) is error


class JITKernel(KernelSource):
    """A kernel that is loaded and can be called with arrays, without copies: on the host those of PyTorch and NumPy, on
    a CUDA device those of PyTorch, CuPy, JAX and whatever else has DLPack, in the current stream.

    Outputs are not passed: they are allocated where the first array argument lives, and returned, one by itself,
    several as a list, none as an empty list.
    """

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
        self._inputs = [i for i in range(len(self.params)) if i not in self._out_idx]
        self._outputs_last = self._inputs == list(range(len(self._inputs)))
        # The outputs in the order of the parameters, as positions in `out_idx`.
        self._tail = [self._out_idx.index(i) for i in sorted(self._out_idx)]
        self._scalars = frozenset(
            at for at, i in enumerate(self._inputs) if not hasattr(request.function.params[i], "shape")
        )
        self._on_device = is_cuda(request.target)
        self._makers = [OutputMaker(self.params[i].dtype, self._on_device) for i in self._out_idx]
        self._shapes = [self.params[i].shape for i in self._out_idx]
        self._static = all(isinstance(extent, int) for shape in self._shapes for extent in shape)
        # How many arguments a call has that can go the short way; -1 where none can.
        simple = not self._scalars and self._static and self._outputs_last
        self._short_way = len(self._inputs) if simple and self._inputs else -1
        self._empties: list | None = None
        self._run, self._extents, self._direct = self._variants.load()
        # On the host a call lasts as long as the kernel, which prints from threads of its own; a launch on a device is
        # over before another thread could have done anything.
        self._run.release_gil = self._direct.release_gil = not self._on_device
        if self._on_device:
            cuda_fork.follow(self)
        _send_prints_to_python()

    def __call__(self, *args, **keywords):
        # The short way of the usual call: PyTorch's tensors, outputs given or of known shape. Where the first is one
        # and others are not, the library either takes them as they are or refuses them before anything runs.
        if len(args) == self._short_way and type(args[0]) in torch_types and not keywords:
            try:
                if self._out_idx:
                    return self._run_with_outputs(args)
                self._direct(*args)
                return []
            except Exception as error:
                if not _is_of_exchange(error):
                    raise _failed(error, self, args) from None
                # The long way takes the arguments, or names what is wrong with them.
        return self._call(args, keywords)

    def _run_with_outputs(self, args: tuple):
        """The short way with outputs, made beside the first argument."""
        if self._empties is None:
            self._empties = [maker.torch_maker(shape) for maker, shape in zip(self._makers, self._shapes)]
        device = args[0].device
        outputs = [empty(device=device) for empty in self._empties]
        self._direct(*args, *[outputs[at] for at in self._tail])
        return outputs[0] if len(outputs) == 1 else outputs

    def _call(self, args: tuple, keywords: dict):
        if keywords:
            raise error_class(TypeError)(
                f"{self.prim_func.name}() got an unexpected keyword argument `{next(iter(keywords))}`: "
                "a kernel's arguments are positional"
            )
        if self._scalars:
            args = [scalar(value) if at in self._scalars else value for at, value in enumerate(args)]
        packed = pack(args)
        try:
            with framework_stream(packed.first):
                return self._run_packed(args, packed)
        except Exception as error:
            raise _failed(error, self, args) from None

    def _run_packed(self, args: tuple | list, packed):
        if not self._out_idx:
            self._run(*packed.words)
            return []
        outputs = self._make_outputs(packed)
        if self._outputs_last:
            pack([outputs[at] for at in self._tail], packed)
        else:
            packed = pack(self._in_order(args, outputs))
        self._run(*packed.words)
        return outputs[0] if len(outputs) == 1 else outputs

    def _in_order(self, args, outputs: list) -> list:
        """Inputs and outputs as the parameters stand."""
        given, made = iter(args), dict(zip(self._out_idx, outputs))
        return [made[i] if i in made else next(given) for i in range(len(self.params))]

    def _make_outputs(self, packed) -> list:
        if self._static and packed.count == len(self._inputs):
            shapes = self._shapes
        else:
            # Checks the arguments first, a wrong count too.
            found = [list(map(int, shape)) for shape in self._extents(*packed.words)]
            declared = sorted(self._out_idx)
            shapes = [found[declared.index(i)] for i in self._out_idx]
        return [maker.like(packed.first, shape) for maker, shape in zip(self._makers, shapes)]

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


_prints_go_to_python = False


def _send_prints_to_python() -> None:
    """What kernels print goes to `sys.stdout`, so that notebooks, pytest and redirection see it, in order."""
    global _prints_go_to_python
    if _prints_go_to_python:
        return
    from tilelang._ffi import _load_tvm_ffi

    def write(text) -> None:
        sys.stdout.write(str(text))
        sys.stdout.flush()

    fn.set_print_function(_load_tvm_ffi().convert(write))
    _prints_go_to_python = True
