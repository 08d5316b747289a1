"""`@T.prim_func`: traces a function when it is decorated."""

from __future__ import annotations
import __future__

import ast
import difflib
import inspect
import linecache
import re
import types
from collections.abc import Callable

from tilelang._ffi import fn
from tilelang.dtypes import dtype
from tilelang.errors import TileLangError
from tilelang.language.buffer import Buffer
from tilelang.language.expr import Var
from tilelang.language.tensor import BufferProxy, Pointer, declare, ptr

from .activation import Activation
from .captured import captures
from .compiled import RewrittenCode, instantiate, rewritten
from .primfunc import PrimFunc
from .source import read_source
from .state import Builder, fail, tracing, users_frame


def enclosing_names(function: types.FunctionType) -> dict:
    """Locals of the function around the definition that annotations mention and the closure lacks.

    Under `from __future__ import annotations` Python captures no names for annotations, so they are taken from the
    frame that is defining the function.
    """
    future = function.__code__.co_flags & __future__.annotations.compiler_flag
    if not future and not any(type(a) is str for a in function.__annotations__.values()):
        return {}
    frame = users_frame()
    if frame is None or frame.f_locals is frame.f_globals or frame.f_globals is not function.__globals__:
        return {}
    mentioned = {n.id for n in ast.walk(read_source(function.__code__).tree) if isinstance(n, ast.Name)}
    captured = {*function.__code__.co_freevars, function.__name__}
    return {k: v for k, v in frame.f_locals.items() if k in mentioned and k not in captured}


def trace_prim_func(function: Callable) -> PrimFunc:
    """Traces a function whose parameters are all annotated. Raises `TypeError` where one is not."""
    outer = enclosing_names(function)
    code = rewritten(function, outer)
    builder = Builder(function.__name__)
    with tracing(builder):
        activation = Activation(builder, code)
        activation.at(0)
        arguments = [_parameter(builder, p, function, outer) for p in inspect.signature(function).parameters.values()]
        activation.argument_names = frozenset(code.parameters)
        returned = run(activation, code, function, arguments, outer)
        outputs = output_indices(builder, returned)
        handle = builder.finish(outputs)
    return PrimFunc(
        handle,
        list(builder.parameters),
        outputs,
        builder.attrs,
        captures(function).items(),
        inspect.signature(function),
    )


def run(activation: Activation, code: RewrittenCode, function, arguments: list, outer: dict | None = None):
    """Runs the rewritten function.

    What Python itself refuses there (an unknown name, a call that does not fit) becomes an error of the program, at its
    place; exceptions of the user's own code pass.
    """
    try:
        return instantiate(code, function, outer)(activation, *arguments)
    except (NameError, TypeError, AttributeError) as error:
        if isinstance(error, TileLangError) or not _raised_here(error, code):
            raise
        refusal, loc = error, _where(activation, error)
    kind, number = next(row for row in _PYTHON_REFUSALS if isinstance(refusal, row[0]))
    try:
        fail(kind, number, str(refusal), loc=loc, help=getattr(refusal, "remedy", None) or _similar(refusal))
    except TileLangError as ours:
        raise ours from refusal


def _similar(error: Exception) -> str:
    """The name that was probably meant by one that does not exist."""
    name = getattr(error, "name", None)
    if not name:
        return ""
    if isinstance(error, NameError):
        trace = error.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        frame = trace.tb_frame
        names = {*frame.f_locals, *frame.f_globals, *frame.f_builtins}
    else:
        names = set(dir(error.obj)) - {name}
    close = difflib.get_close_matches(name, sorted(n for n in names if not n.startswith("__")), 1, 0.75)
    return f"did you mean `{close[0]}`?" if close else ""


def run_macro(builder: Builder, function, outer: dict, name: str, arguments: list):
    """Traces the body of a macro that is called at the current position."""
    code = rewritten(function, outer)
    return run(Activation(builder, code, name, builder.loc), code, function, arguments, outer)


_PYTHON_REFUSALS = ((NameError, 10), (AttributeError, 89), (TypeError, 9))


def _raised_here(error: Exception, code: RewrittenCode) -> bool:
    """Whether the rewritten function, or this package called from it, raised the error."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "")
    return trace.tb_frame.f_code is code.code or module.partition(".")[0] == "tilelang"


def _where(activation: Activation, error: Exception) -> int:
    """The position of the failing expression of the rewritten function, or the statement being traced."""
    trace, found = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code is activation.code.code:
            found = trace
        trace = trace.tb_next
    if found is None:
        return activation.builder.loc
    line, last, column, end = _span(found, getattr(error, "name", None))
    if None in (line, last, column, end) or last != line:
        return activation.builder.loc
    return activation.builder.new_loc(
        activation.code.file, line, column + 1, end + 1, activation.macro, activation.caller
    )


def _span(trace: types.TracebackType, name: str | None) -> tuple:
    """First and last line, first and last column (from 0) of the instruction that failed; None where not known."""
    code = trace.tb_frame.f_code
    if hasattr(code, "co_positions"):
        return list(code.co_positions())[trace.tb_lasti // 2]
    # Python 3.10 knows the line: a name is looked for in it.
    text = linecache.getline(code.co_filename, trace.tb_lineno)
    match = re.search(rf"\b{re.escape(name)}\b", text) if name else None
    columns = match.span() if match else (None, None)
    return trace.tb_lineno, trace.tb_lineno, *columns


def resolve_annotation(annotation, function: types.FunctionType, outer: dict):
    """A string annotation (`from __future__ import annotations`) is evaluated as an expression."""
    space = dict(outer)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            space[name] = cell.cell_contents
        except ValueError:
            continue
    while type(annotation) is str:
        try:
            annotation = eval(annotation, function.__globals__, space)
        except (NameError, SyntaxError) as error:
            message = f"annotation `{annotation}` of `{function.__name__}`: {error}"
        else:
            continue
        fail(NameError, 10, message, help="annotations are expressions, such as T.int32 or T.Tensor((m, n), T.float16)")
    return annotation


def _parameter(builder: Builder, parameter: inspect.Parameter, function, outer: dict):
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        fail(
            TypeError,
            1,
            f"T.prim_func does not support positional-only parameters: `{parameter.name}`",
            help="leave out the `/`",
        )
    if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        fail(TypeError, 1, f"T.prim_func does not support `*{parameter.name}`: a kernel has a fixed list of parameters")
    if parameter.annotation is inspect.Parameter.empty:
        fail(
            TypeError,
            1,
            f"{function.__name__} missing 1 required positional argument: `{parameter.name}` has no annotation",
            help=f"annotate it, as in {parameter.name}: T.Tensor((m, n), T.float16), or {parameter.name}: T.int32",
        )
    if parameter.default is not inspect.Parameter.empty:
        fail(
            TypeError,
            1,
            f"the default of `{parameter.name}` has no meaning: a prim_func is called with all its parameters",
            help="leave out the default, or write an eager kernel with @tilelang.jit",
        )
    return declare_parameter(builder, parameter.name, resolve_annotation(parameter.annotation, function, outer))


def declare_parameter(builder: Builder, name: str, annotation):
    """Makes the parameter that `annotation` describes: a tensor, a scalar of a dtype, or a pointer."""
    if callable(annotation) and not isinstance(annotation, (dtype, BufferProxy)) and annotation is not ptr:
        annotation = annotation()
    if isinstance(annotation, Buffer):
        return declare(builder, name, annotation)
    if isinstance(annotation, Var):
        annotation = annotation.dtype
    if isinstance(annotation, type) and annotation in (int, float, bool):
        annotation = dtype(annotation)
    if annotation is ptr or isinstance(annotation, Pointer):
        annotation = dtype("handle")
    if isinstance(annotation, dtype):
        made = Var._of(fn.builder_scalar(builder.h, name, str(annotation)), name)
        builder.parameters.append(made)
        return made
    fail(
        TypeError,
        1,
        f"annotation of `{name}` is a {type(annotation).__name__}, which describes no parameter",
        help="use T.Tensor(shape, dtype), T.StridedTensor(...), or a dtype such as T.int32",
    )


def output_indices(builder: Builder, returned) -> list[int]:
    """Parameter numbers of the returned `T.empty` outputs. Raises `RuntimeError` for other values and missing
    outputs."""
    values = [] if returned is None else list(returned) if isinstance(returned, (tuple, list)) else [returned]
    for value in values:
        if not any(value is output for output in builder.outputs):
            fail(
                RuntimeError,
                7,
                f"Only tensor allocated from `T.empty` can be returned, not `{value!r}`",
                help="allocate the output with T.empty(shape, dtype), write to it, and return it",
            )
    if len(values) != len(builder.outputs) or len({id(v) for v in values}) != len(values):
        missing = [o.name for o in builder.outputs if not any(o is v for v in values)]
        what = f"`{', '.join(missing)}` is not returned" if missing else "one is returned twice"
        fail(
            RuntimeError,
            7,
            f"Not all tensors allocated by T.empty are returned once: {what}",
            help="return every output, each once",
        )
    return [next(i for i, p in enumerate(builder.parameters) if p is value) for value in values]
