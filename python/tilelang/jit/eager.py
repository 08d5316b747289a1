"""Calls of a function that is a kernel itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilelang.backend import cuda
from tilelang.backend.target import target_is_open
from tilelang.dtypes import dtype
from tilelang.frontend import Call, EagerFunction, Outline, PrimFunc, Shape, captures
from tilelang.frontend.state import fail

from .memo import ambient_key, method_owner, state_key, value_key

_NO_DEFAULT = inspect.Parameter.empty


@dataclass
class Loaded:
    """A kernel, and where its inputs stand among the parameters of the function."""

    kernel: Any
    inputs: list[int]


@dataclass
class Specialised:
    """What is known for one set of compile-time arguments: the outline, and a kernel for each set of constants."""

    outline: Outline
    kernels: dict[tuple, Loaded] = field(default_factory=dict)
    # For each constant: position of a tensor and its dimension; None where that is not enough to read it.
    readers: list[tuple[int, int]] | None = None

    def numbers(self, args: tuple) -> tuple | None:
        """The constants of a call with these positional arguments, in their order."""
        if self.readers is None:
            return None
        return tuple([args[at].shape[dim] for at, dim in self.readers])


def shape_of(name: str, value: Any) -> Shape:
    """Extents and strides of an array in its own elements. Raises `TypeError` for what is no array."""
    try:
        extents = tuple(int(extent) for extent in value.shape)
    except (AttributeError, TypeError, ValueError):
        extents = None
    if extents is None:
        fail(
            TypeError,
            16,
            f"argument `{name}` is a {type(value).__name__}, where the kernel declares a tensor",
            help="pass an array of NumPy, PyTorch or another library",
        )
    kind = value.dtype
    size = getattr(kind, "itemsize", None) or value.element_size()
    strides = value.stride() if callable(getattr(value, "stride", None)) else getattr(value, "strides", None)
    if strides is not None and not callable(getattr(value, "stride", None)):
        strides = tuple(stride // size for stride in strides)
    return Shape(extents, None if strides is None else tuple(strides), 8 * size)


class EagerCalls:
    """Solves the constants of each call, and traces and compiles where they are new."""

    def __init__(self, function: Callable, compile_function: Callable, follows_arguments: bool):
        self._eager = EagerFunction(function)
        self._follows_arguments = follows_arguments
        self._function, self._compile = function, compile_function
        self._names = list(self._eager.signature.parameters)
        self._defaults = tuple([p.default for p in self._eager.signature.parameters.values()])
        self._captures = None
        self._static: list[int] | None = None
        self._static_names: tuple[str, ...] = ()
        self._tensors: list[int] = []
        self._specialised: dict = {}

    def _prepare(self) -> None:
        """Once: sorts the parameters. Annotations are evaluated here, not at decoration."""
        self._captures = captures(self._function)
        kinds = self._eager.kinds
        self._tensors = [
            i for i, n in enumerate(self._names) if kinds[n] is not None and not isinstance(kinds[n], dtype)
        ]
        self._static = [i for i, n in enumerate(self._names) if kinds[n] is None]
        self._static_names = tuple([self._names[i] for i in self._static])

    # --- keys ---

    def _static_key(self, values: list) -> tuple:
        """The key of compile-time values, in the order of the parameters; the object of a method counts by its
        state."""
        return tuple(
            [
                state_key(value)
                if at == 0 and method_owner(value, self._function)
                else value_key(value, "Unsupported argument type")
                for at, value in values
            ]
        )

    def _around(self, first: Any) -> tuple:
        """What else decides about the kernel of a call with `first` as its first array."""
        return self._captures.key(), ambient_key(), self._place(first)

    def _place(self, first: Any):
        """Where the arguments lie, if that decides about the target: where it is left open and there are devices."""
        if not self._follows_arguments or not cuda.devices():
            return None
        return type(first), getattr(first, "device", None)

    def _target(self, call: Call):
        """The target of the device where the first array lies, where the target is left open."""
        if not self._follows_arguments or not call.tensors or not cuda.devices() or not target_is_open():
            return None
        return cuda.target_of_array(next(iter(call.tensors.values())))

    def _call_key(self, call: Call, shapes: dict[str, Shape] | None) -> tuple:
        static = self._static_key([(self._names.index(name), value) for name, value in call.static.items()])
        key = (tuple(call.static), static, self._around(next(iter(call.tensors.values()), None)))
        return key if shapes is None else (key, tuple(shapes.items()), tuple(sorted(call.constants.items())))

    def key(self, args: tuple, keywords: dict):
        call, shapes, numbers, key, _known = self._solve(args, keywords)
        return key, tuple(numbers.items())

    # --- the usual call: positional, all of it seen before ---

    def call(self, args: tuple, keywords: dict):
        if not keywords and self._static is not None:
            full = args if len(args) == len(self._names) else self._with_defaults(args)
            loaded = self._find(full) if full is not None else None
            if loaded is not None:
                return loaded.kernel(*[full[i] for i in loaded.inputs])
        loaded, call = self._load(args, keywords)
        return loaded.kernel(*self._runtime_arguments(loaded, call))

    def _with_defaults(self, args: tuple) -> tuple | None:
        """All arguments, where those left out have defaults."""
        rest = self._defaults[len(args) :]
        if len(args) + len(rest) != len(self._names) or any(value is _NO_DEFAULT for value in rest):
            return None
        return (*args, *rest)

    def _find(self, args: tuple) -> Loaded | None:
        for at in self._tensors:
            if args[at] is None:
                return None  # a compile-time None
        first = args[self._tensors[0]] if self._tensors else None
        key = (self._static_names, self._static_key([(at, args[at]) for at in self._static]), self._around(first))
        known = self._specialised.get(key)
        if known is None:
            return None
        try:
            numbers = known.numbers(args)
        except (AttributeError, IndexError, TypeError):
            return None  # no tensor, or one of another rank: the long way says so
        return None if numbers is None else known.kernels.get(numbers)

    # --- every other call ---

    def _solve(self, args: tuple, keywords: dict):
        """(call, shapes, constants, key, what is known for it); traces the outline where it is new."""
        if self._static is None:
            self._prepare()
        call = self._eager.split(args, keywords)
        shapes = {name: shape_of(name, value) for name, value in call.tensors.items()}
        key = self._call_key(call, None)
        known = self._specialised.get(key)
        if known is None:
            # The outline depends on numbers where Python asked for one; then it holds for these shapes only.
            key_of_shapes = self._call_key(call, shapes)
            known = self._specialised.get(key_of_shapes)
            if known is None:
                outline = self._eager.outline(call.static, shapes, call.constants)
                key = key_of_shapes if outline.value_dependent else key
                known = self._specialised.setdefault(key, Specialised(outline, readers=self._readers(outline)))
            else:
                key = key_of_shapes
        return call, shapes, known.outline.solve(shapes, call.constants), key, known

    def _readers(self, outline: Outline) -> list[tuple[int, int]] | None:
        """How to read each constant from positional arguments, where a plain extent of a tensor tells."""
        if outline.value_dependent:
            return None
        found = {}
        for binding in outline.bindings:
            if binding.constant in found:
                continue
            if binding.of_stride or binding.bits < 8 or binding.tensor not in self._names:
                return None
            found[binding.constant] = (self._names.index(binding.tensor), binding.dim)
        if len(found) != len(outline.constants):
            return None
        return [found[name] for name in outline.constants]

    def _load(self, args: tuple, keywords: dict) -> tuple[Loaded, Call]:
        call, _shapes, numbers, _key, known = self._solve(args, keywords)
        ordered = tuple([numbers[name] for name in known.outline.constants])
        loaded = known.kernels.get(ordered)
        if loaded is None:
            function = self._eager.trace(call.static, numbers)
            loaded = known.kernels[ordered] = Loaded(
                self._compile(function, self._target(call)), self._inputs(function)
            )
        return loaded, call

    def _inputs(self, function: PrimFunc) -> list[int]:
        outputs = set(function.output_indices)
        return [self._names.index(p.name) for i, p in enumerate(function.params) if i not in outputs]

    def _runtime_arguments(self, loaded: Loaded, call: Call) -> list:
        given = []
        for at in loaded.inputs:
            name = self._names[at]
            if name in call.tensors:
                given.append(call.tensors[name])
            elif name in call.scalars:
                given.append(call.scalars[name])
            else:
                fail(
                    TypeError,
                    84,
                    f"{self._function.__name__}: missing a required argument: `{name}`",
                    help=f"the parameters are: {', '.join(self._names)}",
                )
        return given

    def compile(self, args: tuple, keywords: dict):
        return self._load(args, keywords)[0].kernel

    def trace(self, args: tuple, keywords: dict) -> PrimFunc:
        call, _shapes, numbers, _key, _known = self._solve(args, keywords)
        return self._eager.trace(call.static, numbers)
