"""Errors of tracing."""

from tilelang.errors import EagerJITBuildError, JITNoBuilderError

__all__ = ["EagerJITBuildError", "JITNoBuilderError"]
