"""What `@tilelang.jit` makes of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tilelang.backend.target import determine_target
from tilelang.errors import EagerJITBuildError, JITNoBuilderError, error_class
from tilelang.logger import logger

from .build import Request, compile_request
from .eager import EagerCalls
from .lazy import LazyCalls

__all__ = ["JITImpl"]

_OPTIONS = (
    "out_idx",
    "execution_backend",
    "target",
    "target_host",
    "verbose",
    "pass_configs",
    "debug_root_path",
    "compile_flags",
)


class JITImpl:
    """A function whose kernels are compiled when it is called. `mode` is "auto" until the first call, then "lazy" or
    "eager".

    Kernels are remembered by the compile-time arguments (1, True and 1.0 are three), by the values of the globals and
    closure cells that the function refers to, and on an object's method by what its attributes hold.
    """

    def __init__(
        self,
        out_idx: Any,
        execution_backend: str | None,
        target: Any,
        target_host: Any,
        verbose: bool | None,
        pass_configs: dict[str, Any] | None,
        debug_root_path: str | None,
        compile_flags: Any,
        func_source: str,
        signature: inspect.Signature,
        mode: str,
        func: Callable,
    ):
        self.out_idx = out_idx
        self.execution_backend = execution_backend
        self.target, self.target_host = target, target_host
        self.verbose = verbose
        self.pass_configs = pass_configs
        self.debug_root_path = debug_root_path
        self.compile_flags = compile_flags
        self.func_source = func_source
        self.signature = signature
        self.mode = mode
        self.func = func
        functools.update_wrapper(self, func)
        self._lazy = LazyCalls(func, self._compile)
        self._eager = EagerCalls(func, self._compile, follows_arguments=target in (None, "auto"))
        if mode == "eager":
            self._become_eager()

    @classmethod
    def of(cls, function: Callable, **options: Any) -> JITImpl:
        """For a Python function; the style is told from its source where that shows it."""
        from tilelang.frontend import is_lazy

        try:
            source = inspect.getsource(function)
        except (OSError, TypeError):
            source = ""
        lazy = is_lazy(function) if inspect.isfunction(function) else None
        return cls(
            *(options.get(name) for name in _OPTIONS),
            func_source=source,
            signature=inspect.signature(function),
            mode="lazy" if lazy else "auto",
            func=function,
        )

    # --- style ---

    def initialize_jit_mode(self, *args: Any, **kwargs: Any) -> str:
        """Decides between the styles, where that is not done, by calling the function with these arguments."""
        if self.mode != "auto":
            return self.mode
        from tilelang.frontend import PrimFunc

        try:
            result = self.func(*args, **kwargs)
        except (JITNoBuilderError, EagerJITBuildError):
            result = None
        except TypeError:
            try:
                self.signature.bind(*args, **kwargs)
            except TypeError:
                result = None  # an eager kernel needs no argument that its constants do not
            else:
                raise
        if isinstance(result, PrimFunc):
            self.mode = "lazy"
        else:
            self._become_eager()
        return self.mode

    def _become_eager(self) -> None:
        if self.out_idx is not None:
            raise error_class(ValueError)(
                f"out_idx is only supported in lazy mode: `{self.func.__name__}` is an eager kernel, which returns its "
                "outputs: C = T.empty(shape, dtype); ...; return C"
            )
        self.mode = "eager"

    def is_lazy_mode(self) -> bool:
        return self.mode == "lazy"

    def _calls(self, args: tuple, keywords: dict):
        if self.mode == "auto":
            self.initialize_jit_mode(*args, **keywords)
        return self._lazy if self.mode == "lazy" else self._eager

    # --- calls ---

    def __call__(self, *args: Any, **kwargs: Any):
        if kwargs and ("__tune_params" in kwargs or "__return_compile_arguments" in kwargs):
            kwargs = dict(kwargs)
            kwargs.update(kwargs.pop("__tune_params", None) or {})
            if kwargs.pop("__return_compile_arguments", False):
                logger.warning("`__return_compile_arguments` is deprecated and will be removed in future versions.")
                return {name: getattr(self, name) for name in _OPTIONS}
        return self._calls(args, kwargs).call(args, kwargs)

    def compile(self, *args: Any, **kwargs: Any):
        """The kernel for these arguments, in both styles. An eager kernel's constants may come by keyword instead of by
        tensors."""
        return self._calls(args, kwargs).compile(args, kwargs)

    def get_tir(self, *args: Any, **kwargs: Any):
        """The traced function for these arguments."""
        return self._calls(args, kwargs).trace(args, kwargs)

    def get_kernel_source(self, *args: Any, **kwargs: Any) -> str:
        return self.compile(*args, **kwargs).get_kernel_source()

    def parse_cache_key(self, *args: Any, **kwargs: Any):
        """What the kernel for these arguments is remembered by."""
        return self._calls(args, kwargs).key(args, kwargs)

    def par_compile(self, configs: Iterable, num_workers: int | None = None, ignore_error: bool = False) -> list:
        """Kernels for several sets of arguments (dicts of keywords, or tuples), in order.

        Traces one after the other, where a wrong argument raises, and compiles in threads; with `ignore_error` a
        kernel that cannot be compiled is None, and a warning.
        """
        return self._par_compile((), configs, num_workers, ignore_error)

    def _par_compile(self, first: tuple, configs: Iterable, num_workers: int | None, ignore_error: bool) -> list:
        """`par_compile` with arguments that stand before those of each configuration."""
        from .api import compile_all

        functions = []
        for config in configs:
            if not isinstance(config, (dict, tuple)):
                raise error_class(ValueError)(f"Invalid config type: {type(config).__name__}, expected dict or tuple.")
            args, keywords = ((), config) if isinstance(config, dict) else (config, {})
            args = (*first, *args)
            functions.append(self._calls(args, keywords).trace(args, keywords))
        return compile_all(self._compile, functions, determine_target(self.target), num_workers, ignore_error)

    def _compile(self, function, target: Any = None):
        """The kernel of a traced function, for `target` where the decorator names none."""
        request = Request.of(
            function,
            self.out_idx,
            self.target if target is None else target,
            self.target_host,
            self.execution_backend,
            self.verbose,
            self.pass_configs,
            self.compile_flags,
        )
        kernel = compile_request(request)
        if self.debug_root_path is not None:
            self._write_debug_files(kernel)
        return kernel

    def _write_debug_files(self, kernel) -> None:
        folder, name = Path(self.debug_root_path), self.func.__name__
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"tilelang_jit_kernel_{name}.c").write_text(kernel.get_kernel_source())
        (folder / f"tilelang_jit_program_{name}.py").write_text(kernel.prim_func.script())

    # --- methods ---

    def __get__(self, instance: Any, owner: type | None = None):
        return self if instance is None else BoundJITImpl(self, instance)

    def __repr__(self) -> str:
        return f"<tilelang.jit {self.mode} {self.func.__qualname__}>"


class BoundJITImpl:
    """A `JITImpl` as a method of an object: the object is the first argument of every call."""

    def __init__(self, impl: JITImpl, instance: Any):
        self.__wrapped__ = self.__func__ = impl
        self.__self__ = instance

    def __call__(self, *args: Any, **kwargs: Any):
        return self.__func__(self.__self__, *args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any):
        return self.__func__.compile(self.__self__, *args, **kwargs)

    def get_tir(self, *args: Any, **kwargs: Any):
        return self.__func__.get_tir(self.__self__, *args, **kwargs)

    def get_kernel_source(self, *args: Any, **kwargs: Any) -> str:
        return self.__func__.get_kernel_source(self.__self__, *args, **kwargs)

    def parse_cache_key(self, *args: Any, **kwargs: Any):
        return self.__func__.parse_cache_key(self.__self__, *args, **kwargs)

    def initialize_jit_mode(self, *args: Any, **kwargs: Any) -> str:
        return self.__func__.initialize_jit_mode(self.__self__, *args, **kwargs)

    def par_compile(self, configs: Iterable, num_workers: int | None = None, ignore_error: bool = False) -> list:
        return self.__func__._par_compile((self.__self__,), configs, num_workers, ignore_error)

    def __getattr__(self, name: str):
        return getattr(self.__func__, name)
