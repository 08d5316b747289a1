"""`tilelang.jit`, `tilelang.compile`, `tilelang.par_compile`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tilelang.backend.target import determine_target, is_cuda
from tilelang.errors import error_class
from tilelang.logger import logger

from .build import Request, compile_request, known_kernel, remember
from .impl import JITImpl
from .kernel import JITKernel
from .workers import WorkerPool

__all__ = ["compile", "jit", "par_compile"]

# From so many kernels on, processes that compile source are worth their start.
_ENOUGH_FOR_WORKERS = 4


def compile(
    func=None,
    out_idx: list[int] | int | None = None,
    execution_backend: str | None = None,
    target: Any = None,
    target_host: Any = None,
    verbose: bool | None = None,
    pass_configs: dict[str, Any] | None = None,
    compile_flags: list[str] | str | None = None,
) -> JITKernel:
    """Compiles a traced function (`@T.prim_func`). The same function again gives the same kernel.

    `out_idx` names the parameters that are allocated and returned, by number. Raises `AssertionError` for what is no
    traced function (`target function must be a PrimFunc`) and for an unknown target, `ValueError` for a wrong
    `out_idx` or
    backend, `AttributeError` for an unknown pass configuration.
    """
    options = out_idx, target, target_host, execution_backend, verbose, pass_configs, compile_flags
    if (known := known_kernel(func, options)) is not None:
        return known
    request = Request.of(func, *options)
    kernel = compile_request(request)
    remember(func, options, request)
    return kernel


def par_compile(
    funcs: Iterable,
    out_idx: list[int] | int | None = None,
    execution_backend: str | None = None,
    target: Any = None,
    target_host: Any = None,
    verbose: bool | None = None,
    pass_configs: dict[str, Any] | None = None,
    compile_flags: list[str] | str | None = None,
    num_workers: int | None = None,
    ignore_error: bool = False,
) -> list[JITKernel | None]:
    """Compiles several traced functions at once; the kernels are in the order of the functions.

    CUDA source is compiled in worker processes where there are several kernels. With `ignore_error` a function that
    cannot be compiled gives None, and a warning; else the error of the first that cannot be is raised.
    """

    def one(function):
        return compile(function, out_idx, execution_backend, target, target_host, verbose, pass_configs, compile_flags)

    return compile_all(one, list(funcs), determine_target(target), num_workers, ignore_error)


def compile_all(
    one: Callable, functions: list, target: Any, num_workers: int | None, ignore_error: bool
) -> list[JITKernel | None]:
    """`one` of every function, in order, in as many threads as there are functions or processors, for `target`."""
    if not functions:
        return []
    count = num_workers or min(len(functions), len(os.sched_getaffinity(0)))

    def guarded(function):
        try:
            with where():
                return one(function)
        except Exception as error:
            if not ignore_error:
                raise
            logger.warning("Error compiling %s: %s", getattr(function, "name", function), error)
            return None

    with WorkerPool(count - 1, here=True) as workers, ThreadPoolExecutor(count, "tilelang-compile") as threads:
        # A host kernel has a process of its own anyway: the system's compiler.
        many = is_cuda(target) and count > 1 and len(functions) >= _ENOUGH_FOR_WORKERS
        where = workers.in_this_thread if many else contextlib.nullcontext
        return list(threads.map(guarded, functions))


def jit(
    func: Callable | None = None,
    *,
    out_idx: list[int] | int | None = None,
    target: Any = None,
    target_host: Any = None,
    execution_backend: str | None = None,
    verbose: bool | None = None,
    pass_configs: dict[str, Any] | None = None,
    debug_root_path: str | None = None,
    compile_flags: list[str] | str | None = None,
):
    """Makes a kernel of a Python function, compiled for the arguments of each call.

    *Lazy*: the function returns a `T.prim_func`; calling it gives the compiled kernel. *Eager*: the function is the
    kernel; calling it compiles and runs. Which one it is shows in the source, or at the first call.

    Raises `TypeError` for what is no Python function, and for a traced function: use `tilelang.compile`.
    """

    def decorate(function: Callable) -> JITImpl:
        from tilelang.frontend import PrimFunc

        if isinstance(function, PrimFunc) or not callable(function):
            raise error_class(TypeError)(
                f"{function!r:.80} is not a callable object: @tilelang.jit decorates a Python function"
            )
        if not hasattr(function, "__code__"):
            raise error_class(TypeError)(
                f"{function!r:.80} is not a Python function, whose source can be read; apply tilelang.jit to the "
                "function and functools.partial and the like to the result"
            )
        return JITImpl.of(
            function,
            out_idx=out_idx,
            execution_backend=execution_backend,
            target=target,
            target_host=target_host,
            verbose=verbose,
            pass_configs=pass_configs,
            debug_root_path=debug_root_path,
            compile_flags=compile_flags,
        )

    return decorate if func is None else decorate(func)
