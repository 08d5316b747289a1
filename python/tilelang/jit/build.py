"""From a traced function to a loaded kernel: options, generated source, the source compiler, the caches."""

from __future__ import annotations

import hashlib
import shlex
import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from tilelang._ffi import fn
from tilelang.backend.target import compiler_target, determine_target, resolve_execution_backend
from tilelang.cache import store
from tilelang.cache.key import cache_key
from tilelang.engine.callback import rewriter_for
from tilelang.engine.param import KernelParam
from tilelang.engine.pass_record import recorded
from tilelang.env import env
from tilelang.errors import InternalError, error_class
from tilelang.frontend.state import fail
from tilelang.logger import logger
from tilelang.transform.pass_config import checked_pass_configs
from tilelang.transform.pass_context import current_configs

from . import workers
from .diagnostics import phase
from .memo import compile_call_key
from .outputs import output_positions


def _flag_list(flags: Any) -> list[str]:
    if flags is None:
        return []
    return shlex.split(flags) if isinstance(flags, str) else [str(flag) for flag in flags]


@dataclass
class Request:
    """One function with everything that decides about its kernel."""

    function: Any
    handle: Any
    out_idx: list[int]
    target: Any
    target_host: Any
    backend: str
    compiler_target: str
    pass_configs: dict[str, Any]
    flags: list[str]
    verbose: bool
    given_flags: Any = None
    extra_key: str = ""
    # The key of the kernel in memory, once it has been asked for.
    in_memory: tuple[str, str] | None = None
    _texts: dict[bool, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        function,
        out_idx=None,
        target: Any = None,
        target_host: Any = None,
        execution_backend: str | None = None,
        verbose: bool | None = None,
        pass_configs: dict | None = None,
        compile_flags: Any = None,
    ) -> Request:
        """Checks and completes the options of a compile call. Raises what the documentation of `compile` says."""
        from tilelang.frontend import PrimFunc

        if not isinstance(function, PrimFunc):
            raise error_class(AssertionError)(
                f"target function must be a PrimFunc but got {type(function).__name__}: write it with @T.prim_func"
            )
        outputs = list(function.output_indices)
        handle = function.handle
        if out_idx is not None:
            if outputs:
                fail(
                    ValueError,
                    108,
                    f"Out index conflict: {function.name} returns tensors from T.empty, and "
                    f"out_idx={out_idx!r} was given",
                    help="leave out out_idx",
                )
            outputs = output_positions(out_idx, function.params, function.name)
            if outputs:
                handle = fn.function_with_outputs(handle, outputs)
        found = determine_target(target)
        configs = _merged_configs(function, pass_configs)
        flags = _flag_list(configs.pop("tl.device_compile_flags", None))
        flags += _flag_list(function.attrs.get("compile_flags")) + _flag_list(compile_flags)
        return cls(
            function,
            handle,
            outputs,
            found,
            target_host,
            resolve_execution_backend(execution_backend, found),
            compiler_target(found),
            configs,
            flags,
            env.get_default_verbose() if verbose is None else bool(verbose),
            compile_flags,
        )

    @property
    def name(self) -> str:
        return self.function.name

    def _print(self, positions: bool) -> str:
        if positions not in self._texts:
            self._texts[positions] = str(fn.function_text(self.handle, positions))
        return self._texts[positions]

    @property
    def text(self) -> str:
        """The function without source positions: what the kernel's code depends on."""
        return self._print(False)

    @property
    def positions(self) -> str:
        """Stands for the function and the lines on which it is written."""
        return hashlib.sha256(self._print(True).encode("utf-8", "surrogatepass")).hexdigest()

    def kernel_params(self) -> list[KernelParam]:
        return [KernelParam.of(param) for param in self.function.params]


def _merged_configs(function, given: dict | None) -> dict[str, Any]:
    """Configuration by the environment, open scopes, the function itself and the call, later ones first."""
    configs: dict[str, Any] = {}
    if (model := env.get_default_layout_cost_model()) is not None:
        configs["tl.layout_cost_model"] = model
    configs.update(current_configs())
    configs.update(checked_pass_configs(function.attrs.get("pass_configs")))
    configs.update(checked_pass_configs(given))
    return configs


@dataclass
class Generated:
    """A compiled function before its source is compiled."""

    artifact: Any
    source: str
    host_source: str
    # Of each kernel of the first variant: a warning for the case that its registers do not suffice.
    if_spilled: list[str]


def generate(request: Request) -> Generated:
    """Runs the compiler; logs its warnings. The source is what a registered rewriter has made of it."""
    dump = ""
    if request.pass_configs.get("tl.enable_dump_ir"):
        dump = request.pass_configs.get("tl.dump_ir_path", "./dump_ir")
    # The library takes numbers, strings and lists of numbers; other values are for other targets.
    plain = {k: v for k, v in request.pass_configs.items() if isinstance(v, (bool, int, float, str))}
    with phase("lower"), recorded(request.name, dump) as folder:
        artifact, warnings, if_spilled = fn.artifact_compile(request.handle, request.compiler_target, plain, folder)
    for warning in warnings:
        logger.warning(str(warning))
    source = str(fn.artifact_text(artifact, "source"))
    if (rewriter := rewriter_for(request.compiler_target)) is not None:
        source = rewriter(source, request.target)
    host_source = str(fn.artifact_text(artifact, "host_source"))
    return Generated(artifact, source, host_source, [str(text) for text in if_spilled])


def _report_spills(generated: Generated, artifact) -> None:
    """Warns about kernels that the toolchain has found too few registers for."""
    for text, (_symbol, _variant, _registers, spilled, *_) in zip(generated.if_spilled, fn.artifact_usage(artifact)):
        if spilled:
            logger.warning(text)


def build(request: Request):
    """The artifact with its binary, compiled now."""
    generated = generate(request)
    if request.compiler_target == "interpret":
        return generated.artifact
    with phase("compile"):
        artifact = workers.build_artifact(
            generated.artifact,
            generated.source,
            request.flags,
            env.get_compile_timeout_seconds() or 0.0,
            not env.should_cleanup_temp_files(),
            str(store.platform_folder()),
        )
    _report_spills(generated, artifact)
    return artifact


def compile_request(request: Request):
    """The kernel of a request: from the memory of this process, else from disk, else compiled."""
    from .kernel import JITKernel

    if not env.is_cache_enabled():
        return JITKernel._loaded(request, _build_and_report(request))
    key = cache_key(request)
    # In memory a kernel also knows its lines: the same text elsewhere is another kernel.
    request.in_memory = in_memory = key, request.positions
    if (kernel := store.memory.get(in_memory)) is not None:
        _say_found(kernel)
        return kernel
    # What a rewriter makes of the source is not in the key.
    on_disk = rewriter_for(request.compiler_target) is None
    kernel = _from_disk(key, request) if on_disk else None
    if kernel is None:
        artifact = _build_and_report(request)
        if on_disk:
            store.publish(key, artifact, request)
        kernel = JITKernel._loaded(request, artifact, _keeper(key, request) if on_disk else None)
    return store.memory.setdefault(in_memory, kernel)


def _keeper(key: str, request: Request):
    """Puts an artifact with more variants in the place of the entry on disk."""
    return lambda artifact: store.publish(key, artifact, request, replace=True)


# Of each function that was compiled: the keys in `store.memory` by the compile calls that led to them.
_compiled: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_MOST_CALLS = 64


def known_kernel(function, options: tuple):
    """The kernel that this compile call has given before, if it is still in memory and nothing around has changed."""
    calls = _compiled.get(function) if type(function).__hash__ is object.__hash__ else None
    if calls is None or not env.is_cache_enabled():
        return None
    kernel = store.memory.get(calls.get(compile_call_key(options)))
    if kernel is not None:
        _say_found(kernel)
    return kernel


def remember(function, options: tuple, request: Request) -> None:
    """Makes `known_kernel` know the kernel that `request` has given."""
    key = compile_call_key(options)
    if request.in_memory is None or key is None:
        return
    calls = _compiled.setdefault(function, {})
    if len(calls) >= _MOST_CALLS:
        calls.clear()
    calls[key] = request.in_memory


def _say_found(kernel) -> None:
    """Once for a kernel: in a loop it would cost more than everything else."""
    if not kernel.was_found:
        kernel.was_found = True
        logger.warning("Found kernel in memory cache: `%s` is compiled already", kernel.prim_func.name)


def _from_disk(key: str, request: Request):
    from .kernel import JITKernel

    artifact = store.load(key, request)
    if artifact is None:
        return None
    try:
        with phase("load"):
            return JITKernel._loaded(request, artifact, _keeper(key, request))
    except InternalError as error:
        store.discard(key, error)  # whole, but not loadable here
        return None


def _build_and_report(request: Request):
    report = env.is_print_on_compilation_enabled()
    if report:
        logger.info("TileLang begins to compile kernel `%s` with `out_idx=%s`", request.name, request.out_idx)
    start = time.perf_counter()
    artifact = build(request)
    if report:
        logger.info("TileLang completes to compile kernel `%s`", request.name)
    if request.verbose:
        taken = time.perf_counter() - start
        logger.info("`%s` for %s took %.3f s; flags: %s", request.name, request.target, taken, request.flags)
    return artifact
