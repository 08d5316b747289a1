"""`tilelang.lower`: a function's generated source, without a device and without a source compiler."""

from __future__ import annotations

from typing import Any

from tilelang.backend.target import determine_target
from tilelang.errors import error_class

from .param import CompiledArtifact

__all__ = ["lower"]


def lower(
    func_or_mod,
    target: Any = "auto",
    target_host: Any = None,
    runtime_only: bool = False,
    enable_host_codegen: bool = False,
    enable_device_compile: bool = False,
) -> CompiledArtifact:
    """Generates the source of a traced function, or of a module with one, for `target`.

    With `enable_device_compile` the source is compiled and loaded: `.rt_mod` is the kernel.
    """
    from tilelang.jit.build import Request, compile_request, generate

    function = _single_function(func_or_mod)
    request = Request.of(function, target=determine_target(target), target_host=target_host)
    if enable_device_compile:
        kernel = compile_request(request)
        return CompiledArtifact(
            kernel.host_source,
            kernel.kernel_source,
            kernel.params,
            kernel.kernel_source,
            kernel,
            request.target,
            target_host,
        )
    generated = generate(request)
    source = generated.source
    return CompiledArtifact(
        generated.host_source, source, request.kernel_params(), source, None, request.target, target_host
    )


def _single_function(func_or_mod):
    functions = getattr(func_or_mod, "functions", None)
    if functions is None:
        return func_or_mod
    if len(functions) != 1:
        raise error_class(ValueError)(f"expected only one function with attribute 'calling_conv', got {len(functions)}")
    return next(iter(functions.values()))
