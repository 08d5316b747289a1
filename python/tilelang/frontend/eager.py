"""Eager kernels: the body of a `@tilelang.jit` function is the kernel itself.

    kernel = EagerFunction(function)                   once, at decoration; reads nothing yet
    call = kernel.split(args, keywords)                sorted: tensors, run-time scalars, compile-time values, constants
    outline = kernel.outline(call.static, shapes, call.constants)
    numbers = outline.solve(shapes, call.constants)    `shapes`: a `Shape` for each of call.tensors
    function = kernel.trace(call.static, numbers)      the PrimFunc

An *outline* is the trace up to the first launch. It tells which tensors there are and where each `T.const` occurs as a
dimension or stride (`outline.bindings`). With the shapes of the actual arguments a constant becomes a number when the
annotation that contains it runs, so `if M > 3` behind it is decided in Python; before, asking for its number is an
error. `trace` runs the whole body with numbers for all constants.

An outline holds for all calls with equal compile-time values, unless `value_dependent`: then Python asked for the
number of a constant, which may have decided which tensors there are, and it holds for equal constants only. So a
caller keeps, for each key of compile-time values, the outline, solves it at each call (a few reads of shapes), and
traces where the solution is new.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tilelang.dtypes import dtype
from tilelang.language.buffer import Buffer
from tilelang.language.tensor import BufferProxy, Pointer, declare, ptr

from .activation import Activation
from .captured import captures
from .compiled import rewritten
from .const import Const
from .lazy import declare_parameter, enclosing_names, output_indices, resolve_annotation, run
from .primfunc import PrimFunc
from .state import Builder, fail, tracing


@dataclass(frozen=True)
class Shape:
    """What an outline needs to know of an argument: extents and strides in its own elements, and their width in
    bits."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    element_bits: int = 8


@dataclass(frozen=True)
class Binding:
    """`constant` is dimension (or stride) `dim` of the tensor parameter `tensor`, declared with elements of `bits`
    bits."""

    constant: str
    tensor: str
    of_stride: bool
    dim: int
    last: bool
    bits: int

    def read(self, argument: Shape) -> int | None:
        """The number that `argument` gives; None where it has no such dimension.

        Elements narrower than a byte are stored packed, so a byte of the last dimension counts for several.
        """
        extents = argument.strides if self.of_stride else argument.shape
        if extents is None or self.dim >= len(extents):
            return None
        packed = argument.element_bits // self.bits if self.bits < 8 <= argument.element_bits else 1
        scaled = self.last != self.of_stride  # the last extent, or every stride but the last
        return extents[self.dim] * (packed if scaled else 1)


@dataclass
class Call:
    """The arguments of one call, by parameter name, sorted by what they are; `constants` are the other keywords."""

    tensors: dict = field(default_factory=dict)
    scalars: dict = field(default_factory=dict)
    static: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)


class Outline:
    """The signature of an eager kernel: `constants` by name, `bindings`, `declared` tensors, `value_dependent`."""

    def __init__(self, name: str, given: Mapping[str, int], arguments: Mapping[str, Shape]):
        self.name = name
        self.constants: dict[str, Const] = {}
        self.bindings: list[Binding] = []
        self.declared: list[str] = []
        self.value_dependent = False
        self._given, self._arguments = given, arguments

    def constant(self, name: str, kind: dtype) -> Const:
        made = self.constants.setdefault(name, Const(name, kind, self))
        if made.number is None and name in self._given:
            made.bind(int(self._given[name]))
        return made

    def add_tensor(self, name: str, annotation: Buffer) -> None:
        self.declared.append(name)
        argument = self._arguments.get(name)
        parts = [(False, d, e) for d, e in enumerate(annotation.shape)]
        parts += [(True, d, e) for d, e in enumerate(annotation._explicit_strides)]
        for of_stride, dim, extent in parts:
            if not isinstance(extent, Const):
                continue
            last = dim == len(annotation.shape) - 1
            binding = Binding(extent.name, name, of_stride, dim, last, annotation.dtype.bits)
            self.bindings.append(binding)
            if extent.number is None and argument is not None:
                number = binding.read(argument)
                if number is not None:
                    extent.bind(number)

    def check_used(self) -> None:
        used = {b.constant for b in self.bindings}
        for name in self.constants:
            if name not in used:
                fail(
                    RuntimeError,
                    15,
                    f"Constexpr variable `{name}` is not used in any buffer shape or stride",
                    help=f"use `{name}` by itself as a dimension of a tensor; other values are plain parameters",
                )

    def solve(self, arguments: Mapping[str, Shape], given: Mapping[str, int]) -> dict[str, int]:
        """Numbers for all constants: by keyword, else from the first tensor that has each.

        Raises `ValueError` where one has none, `TypeError` for a keyword that is neither a parameter nor a constant.
        """
        numbers: dict[str, int] = {}
        for name in given:
            if name not in self.constants:
                known = ", ".join(self.constants) or "none"
                fail(
                    TypeError,
                    84,
                    f"{self.name} got an unexpected keyword argument `{name}`",
                    help=f"its constants are: {known}",
                )
            numbers[name] = int(given[name])
        for binding in self.bindings:
            if binding.constant not in numbers and binding.tensor in arguments:
                number = binding.read(arguments[binding.tensor])
                if number is not None:
                    numbers[binding.constant] = number
        for name in self.constants:
            if name not in numbers:
                owners = "` or `".join(sorted({b.tensor for b in self.bindings if b.constant == name}))
                fail(
                    ValueError,
                    14,
                    f"Cannot find value for constexpr variable `{name}` of {self.name}",
                    help=f"pass tensor `{owners}`, which has that dimension, or {name}= by keyword",
                )
        return numbers


class _Launched(BaseException):
    """The outline is complete."""


class _Session:
    """What `T.const`, `T.Tensor` statements and `T.Kernel` do in one trace of an eager kernel."""

    def __init__(self, builder: Builder, outline: Outline | None, numbers: Mapping[str, int]):
        self.builder, self.outline, self.numbers = builder, outline, numbers
        self.parameters: dict[str, object] = {}

    def constant(self, name: str, kind: dtype):
        if self.outline is not None:
            return self.outline.constant(name, kind)
        if name not in self.numbers:
            fail(ValueError, 14, f"Cannot find value for constexpr variable `{name}`", help=f"pass {name}= by keyword")
        return self.numbers[name]

    def declare(self, name: str, annotation):
        if name in self.parameters:
            fail(ValueError, 1, f"`{name}` is declared twice", help="declare each tensor once")
        if isinstance(annotation, BufferProxy):
            return Undeclared(name)
        if self.outline is not None and isinstance(annotation, Buffer):
            self.outline.add_tensor(name, annotation)
        if isinstance(annotation, Buffer):
            made = declare(self.builder, name, annotation)
        else:
            made = declare_parameter(self.builder, name, annotation)
        self.parameters[name] = made
        return made

    def check_decidable(self, condition) -> None:
        """Refuses a condition on a constant that has no value yet: it is to be decided in Python."""
        if self.outline is None:
            return
        mentioned = set(re.findall(r"\w+", str(condition)))
        for name, constant in self.outline.constants.items():
            if constant.number is None and name in mentioned:
                constant.forced()

    def reached_launch(self) -> None:
        if self.outline is not None:
            raise _Launched


class Undeclared:
    """A tensor argument before its annotation runs."""

    __slots__ = ("_name",)

    def __init__(self, name: str):
        self._name = name

    def _refuse(self, *_args):
        fail(
            TypeError,
            16,
            f"tensor argument `{self._name}` is used before it is declared",
            help=f"declare it first: {self._name}: T.Tensor((m, n), dtype)",
        )

    __getitem__ = __iter__ = __len__ = __bool__ = _refuse

    def __getattr__(self, attribute: str):
        return self._refuse()


def looks_like_tensor(value) -> bool:
    return (
        hasattr(type(value), "__dlpack__") or hasattr(type(value), "__array_interface__") or hasattr(value, "data_ptr")
    )


class EagerFunction:
    """A Python function that is a kernel body. `signature` is that of the function."""

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.function = function
        self.signature = inspect.signature(function)
        self._outer = enclosing_names(function)

    @functools.cached_property
    def kinds(self) -> dict[str, object]:
        """For each parameter: its tensor annotation or dtype, `Undeclared` where the body declares it, None if
        compile-time."""
        kinds: dict[str, object] = {}
        for parameter in self.signature.parameters.values():
            annotation = resolve_annotation(parameter.annotation, self.function, self._outer)
            if parameter.name in rewritten(self.function, self._outer).declared:
                kinds[parameter.name] = Undeclared
            elif isinstance(annotation, (Buffer, Pointer, dtype)) or annotation is ptr:
                kinds[parameter.name] = annotation
            else:
                kinds[parameter.name] = Undeclared if isinstance(annotation, BufferProxy) else None
        return kinds

    def split(self, args: tuple, keywords: Mapping) -> Call:
        """Sorts the arguments of a call. Raises `TypeError` for a wrong call.

        Parameters may be left out where the body or its constants do not need them (`compile(M=8)`): only compile-time
        parameters without a default are required.
        """
        parameters = self.signature.parameters
        if len(args) > len(parameters):
            fail(
                TypeError,
                84,
                f"too many positional arguments for JIT function {self.__name__}: {len(args)} given, "
                f"{len(parameters)} parameters",
                help=f"the parameters are: {', '.join(parameters)}",
            )
        given = dict(zip(parameters, args, strict=False))
        call = Call()
        for name, value in keywords.items():
            if name in given:
                fail(
                    TypeError,
                    84,
                    f"{self.__name__} got multiple values for argument `{name}`",
                    help="pass it by position or by keyword",
                )
            if name in parameters:
                given[name] = value
            else:
                call.constants[name] = value
        for name, parameter in parameters.items():
            self._sort(call, name, parameter, given)
        return call

    def _sort(self, call: Call, name: str, parameter: inspect.Parameter, given: dict) -> None:
        kind = self.kinds[name]
        if name not in given:
            if parameter.default is not inspect.Parameter.empty:
                given[name] = parameter.default
            elif kind is None:
                fail(
                    TypeError,
                    84,
                    f"{self.__name__}: missing a required argument: `{name}`",
                    help=f"the parameters are: {', '.join(self.signature.parameters)}",
                )
            else:
                return
        value = given[name]
        if isinstance(kind, (dtype, Pointer)) or kind is ptr:
            call.scalars[name] = value
        elif kind is None:
            if looks_like_tensor(value):
                fail(
                    TypeError,
                    16,
                    f"{self.__name__}: argument `{name}` is a tensor, but the kernel does not declare it",
                    help=f"declare it in the body, as in {name}: T.Tensor((m, n), dtype)",
                )
            call.static[name] = value
        elif value is None:
            call.static[name] = None
        else:
            call.tensors[name] = value

    def outline(self, static: Mapping, arguments: Mapping[str, Shape], constants: Mapping[str, int]) -> Outline:
        """Traces up to the first launch."""
        outline = Outline(self.__name__, constants, arguments)
        builder = Builder(self.__name__)
        with tracing(builder):
            try:
                self._run(builder, _Session(builder, outline, {}), static)
            except _Launched:
                pass
            outline.check_used()
            builder.abandon()
        return outline

    def trace(self, static: Mapping, numbers: Mapping[str, int]) -> PrimFunc:
        """Traces the whole body with `static` compile-time arguments and `numbers` for its constants."""
        builder = Builder(self.__name__)
        with tracing(builder):
            session = _Session(builder, None, numbers)
            returned = self._run(builder, session, static)
            if builder.launches == 0:
                fail(
                    RuntimeError,
                    17,
                    f"`{self.__name__}` launches nothing: an eager kernel has a `with T.Kernel(...)` block",
                    help="write the body of the kernel in `with T.Kernel(...)`, or return a @T.prim_func",
                )
            builder.order_parameters(
                [n for n in self.signature.parameters if n in session.parameters], session.parameters
            )
            outputs = output_indices(builder, returned)
            handle = builder.finish(outputs)
        return PrimFunc(
            handle, list(builder.parameters), outputs, builder.attrs, captures(self.function).items(), self.signature
        )

    def _run(self, builder: Builder, session: _Session, static: Mapping):
        builder.eager = session
        code = rewritten(self.function, self._outer)
        activation = Activation(builder, code)
        activation.at(0)
        activation.argument_names = frozenset(n for n, kind in self.kinds.items() if kind is not None)
        arguments = []
        for name, parameter in self.signature.parameters.items():
            kind = self.kinds[name]
            if name in static:
                arguments.append(static[name])
            elif kind is None:
                arguments.append(parameter.default)
            elif kind is Undeclared:
                arguments.append(Undeclared(name))
            else:
                arguments.append(session.declare(name, kind))
        return run(activation, code, self.function, arguments, self._outer)


def is_lazy(function: Callable) -> bool | None:
    """Whether the body of a `@tilelang.jit` function defines a prim_func; None where the source cannot be read."""
    from .source import defines_prim_func

    return defines_prim_func(function.__code__)
