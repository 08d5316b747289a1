"""The call of a kernel: its arguments, its outputs, its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilelang._ffi import fn, translated
from tilelang.backend import cuda_fork
from tilelang.errors import error_class

from .arguments import framework_stream, pack, scalar, torch_types, without_unreadable
from .outputs import OutputMaker

__all__ = ["Caller"]


class Caller:
    """Calls a loaded kernel. It does not know the `JITKernel` that owns it: no cycle keeps a kernel alive.

    A call has two ways. The short one, of the library, takes PyTorch's tensors alone, one a parameter, without
    keywords; it refuses nothing. The long one, `call`, takes everything else, and says what is wrong.
    """

    def __init__(self, function, params: Sequence, out_idx: list[int], on_device: bool, loaded: Sequence):
        """`loaded` are the functions of `kernel_load`."""
        self._name = function.name
        self._count = len(params)
        self._out_idx = out_idx
        self._inputs = [i for i in range(len(params)) if i not in out_idx]
        self._outputs_last = self._inputs == list(range(len(self._inputs)))
        # The outputs in the order of the parameters, as positions in `out_idx`.
        self._tail = [out_idx.index(i) for i in sorted(out_idx)]
        # Of each scalar whether it is a float. A pointer takes an array as it is.
        self._scalars = {
            at: "float" in str(params[i].dtype)
            for at, i in enumerate(self._inputs)
            if not hasattr(function.params[i], "shape") and params[i].dtype != "handle"
        }
        self._makers = [OutputMaker(params[i].dtype, on_device) for i in out_idx]
        self._shapes = [params[i].shape for i in out_idx]
        self._static = all(isinstance(extent, int) for shape in self._shapes for extent in shape)
        self._empties: list | None = None
        self._run, self._extents, self._make_short = loaded
        # A launch on a device is over before another thread could have done anything.
        self._run.release_gil = not on_device
        # The short way where the outputs are made first.
        self._short: Callable | None = None
        if on_device:
            cuda_fork.follow(self)

    def entry(self) -> Callable:
        """What a call of the kernel calls."""
        if self._scalars or not self._inputs:
            return self.call
        if not self._out_idx:
            return self._short_or(self.call)
        if not self._static or not self._outputs_last:
            return self.call
        self._short = self._short_or(_not_taken)
        return self._call_with_outputs

    def _short_or(self, otherwise: Callable) -> Callable:
        """The short way, and `otherwise` for calls that cannot go it."""
        made: list = []
        self._make_short(id(made), id(otherwise), id(fn.raise_pending))
        return made[0]

    def _call_with_outputs(self, *args, **keywords):
        """Makes outputs of known shape beside the first argument, one of PyTorch's tensors, for the short way."""
        if len(args) == len(self._inputs) and type(args[0]) in torch_types and not keywords:
            if self._empties is None:
                self._empties = [maker.torch_maker(shape) for maker, shape in zip(self._makers, self._shapes)]
            device = args[0].device
            outputs = [empty(device=device) for empty in self._empties]
            if self._short(*args, *[outputs[at] for at in self._tail]) is not None:
                return outputs[0] if len(outputs) == 1 else outputs
        return self.call(*args, **keywords)

    def call(self, *args, **keywords):
        """The long way."""
        if keywords:
            raise error_class(TypeError)(
                f"{self._name}() got an unexpected keyword argument `{next(iter(keywords))}`: "
                "a kernel's arguments are positional"
            )
        if self._scalars:
            args = [scalar(value, self._scalars[at]) if at in self._scalars else value for at, value in enumerate(args)]
        packed = pack(args)
        try:
            with framework_stream(packed.first):
                return self._run_packed(args, packed)
        except Exception as error:
            raise self._named(error, args) from None

    def _named(self, error: Exception, args) -> Exception:
        """The error of ours for one that a call has raised."""
        ours = translated(error)
        if ours is not error:
            return ours
        described = without_unreadable(args)
        if described is None:
            return error
        try:
            self.call(*described)
        except Exception as named:
            return named
        return error

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
        return [made[i] if i in made else next(given) for i in range(self._count)]

    def _make_outputs(self, packed) -> list:
        if self._static and packed.count == len(self._inputs):
            shapes = self._shapes
        else:
            # Checks the arguments first, a wrong count too.
            found = [list(map(int, shape)) for shape in self._extents(*packed.words)]
            declared = sorted(self._out_idx)
            shapes = [found[declared.index(i)] for i in self._out_idx]
        return [maker.like(packed.first, shape) for maker, shape in zip(self._makers, shapes)]


def _not_taken(*_args: Any) -> None:
    """Says that a call has not gone the short way."""
