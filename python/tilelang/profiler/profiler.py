"""`Profiler`: makes a kernel's inputs, times it, compares it with a reference."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tilelang.engine.param import KernelParam
from tilelang.errors import error_class
from tilelang.utils.tensor import TensorSupplyType, get_tensor_supply, torch_assert_close

from .bench import do_bench

__all__ = ["Profiler"]


class Profiler:
    """Of a kernel with parameters `params`, of which those numbered in `result_idx` are outputs."""

    def __init__(
        self,
        params: list[KernelParam],
        result_idx: list[int],
        supply_type: TensorSupplyType,
        adapter: Any = None,
    ):
        self.params = params
        self.result_idx = list(result_idx)
        self.supply_type = supply_type
        self.adapter = adapter
        self.supply = get_tensor_supply(supply_type)

    def with_default_adapter(self, adapter: Any) -> Profiler:
        self.adapter = adapter
        return self

    @property
    def func(self) -> Any:
        if self.adapter is None:
            raise error_class(RuntimeError)("the profiler has no kernel: use kernel.get_profiler()")
        return self.adapter

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.func(*args, **kwargs)

    def _get_inputs(
        self, with_output: bool = False, dynamic_symbolic_constraints: dict[str, int] | None = None
    ) -> list:
        """A tensor for every parameter that is passed, where the kernel runs."""
        device = "cuda" if _runs_on_cuda(self.adapter) else "cpu"
        return [
            self.supply(_with_extents(param, dynamic_symbolic_constraints or {}), device)
            for at, param in enumerate(self.params)
            if with_output or at not in self.result_idx
        ]

    def _reference_outputs(self, reference: Callable, inputs: list) -> list:
        outputs = reference(*inputs)
        return [] if outputs is None else list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

    def _kernel_outputs(self, inputs: list) -> list:
        outputs = self.func(*inputs)
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

    def _both(self, reference: Callable, input_tensors: list | None) -> tuple[list, list]:
        """Outputs of kernel and reference; where the kernel has none, the arguments that each has written."""
        inputs = list(input_tensors) if input_tensors is not None else self._get_inputs()
        copies = [value.clone() if hasattr(value, "clone") else value for value in inputs]
        ours, theirs = self._kernel_outputs(inputs), self._reference_outputs(reference, copies)
        if not ours and not theirs:
            ours, theirs = _tensors(inputs), _tensors(copies)
        return ours, theirs

    def assert_allclose(
        self,
        reference_program: Callable,
        input_tensors: list | None = None,
        atol: float = 1e-2,
        rtol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
    ) -> None:
        """Raises `AssertionError` where the kernel's outputs differ from the reference's by more than the
        tolerances."""
        ours, theirs = self._both(reference_program, input_tensors)
        assert len(ours) == len(theirs), f"the kernel has {len(ours)} outputs, the reference {len(theirs)}"
        for a, b in zip(ours, theirs):
            torch_assert_close(
                a,
                b,
                rtol=rtol,
                atol=atol,
                max_mismatched_ratio=max_mismatched_ratio,
                check_dtype=False,
                base_name="tilelang",
                ref_name="ref",
            )

    def manual_assert_close(
        self,
        reference_program: Callable,
        input_tensors: list | None = None,
        manual_check_prog: Callable | None = None,
    ) -> None:
        """Calls `manual_check_prog(outputs of the kernel, outputs of the reference)`."""
        ours, theirs = self._both(reference_program, input_tensors)
        if manual_check_prog is not None:
            manual_check_prog(ours, theirs)

    def assert_consistent(self, repeat: int = 10) -> None:
        """Raises `AssertionError` where the same inputs give other outputs in one of `repeat` runs."""
        inputs = self._get_inputs()
        first = self._kernel_outputs(inputs)
        for _ in range(repeat):
            for a, b in zip(first, self._kernel_outputs(inputs)):
                assert (a == b).all(), "the kernel gives other results for the same inputs"

    def run_once(self, func: Callable | None = None) -> Any:
        """Calls the kernel, or `func`, once with inputs of this profiler."""
        return (func or self.func)(*self._get_inputs())

    def do_bench(
        self,
        func: Callable | None = None,
        warmup: int = 25,
        rep: int = 100,
        n_warmup: int = 0,
        n_repeat: int = 0,
        input_tensors: list | None = None,
        backend: str = "event",
        quantiles: list[float] | None = None,
        return_mode: str = "mean",
        dynamic_symbolic_constraints: dict[str, int] | None = None,
        device: Any = None,
        early_stop_baseline: float | None = None,
    ) -> float | list[float]:
        """Milliseconds of the kernel, or of `func`; see `tilelang.profiler.do_bench`. On the host the default is its
        clock. `dynamic_symbolic_constraints` gives symbolic extents, by name, for the inputs that are made."""
        function = func or self.func
        inputs = input_tensors
        if inputs is None:
            with _current(device):
                inputs = self._get_inputs(dynamic_symbolic_constraints=dynamic_symbolic_constraints)
        if backend == "event" and _runs_on_host(self.adapter):
            backend = "wall"
        return do_bench(
            lambda: function(*inputs),
            warmup,
            rep,
            n_warmup,
            n_repeat,
            quantiles,
            backend=backend,
            return_mode=return_mode,
            device=device,
            early_stop_baseline=early_stop_baseline,
        )


def _runs_on_host(adapter: Any) -> bool:
    from tilelang.backend.target import is_host, kind_of

    target = getattr(adapter, "target", None)
    return target is not None and (is_host(target) or kind_of(target) == "interpret")


def _runs_on_cuda(adapter: Any) -> bool:
    from tilelang.backend.target import is_cuda

    target = getattr(adapter, "target", None)
    return target is not None and is_cuda(target)


def _current(device: Any) -> contextlib.AbstractContextManager:
    """The scope in which `device` is PyTorch's current CUDA device."""
    if device is None:
        return contextlib.nullcontext()
    import torch

    return torch.cuda.device(device)


def _tensors(values: list) -> list:
    return [value for value in values if hasattr(value, "shape")]


def _with_extents(param: KernelParam, extents: dict[str, int]) -> KernelParam:
    if all(isinstance(extent, int) for extent in param.shape):
        return param
    named = [extents.get(str(getattr(e, "name", e)), e) for e in param.shape]
    return KernelParam(param.dtype, named)
