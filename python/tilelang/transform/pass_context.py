"""A scope of pass configuration."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from .pass_config import checked_pass_configs

__all__ = ["PassContext"]

_open = threading.local()


class PassContext:
    """Pass configuration for compiles in its `with` block; what is given to a compile call itself wins.

    Other settings of TVM's class of this name are accepted and have no meaning.
    """

    def __init__(self, opt_level: int = 2, config: Mapping[str, Any] | None = None, **_ignored: Any):
        self.opt_level = opt_level
        self.config = checked_pass_configs(config)

    def __enter__(self) -> PassContext:
        _stack().append(self)
        return self

    def __exit__(self, *_error) -> None:
        _stack().remove(self)

    @staticmethod
    def current() -> PassContext:
        """The innermost open context, or an empty one."""
        stack = _stack()
        return stack[-1] if stack else PassContext()


def _stack() -> list[PassContext]:
    if not hasattr(_open, "contexts"):
        _open.contexts = []
    return _open.contexts


def current_configs() -> dict[str, Any]:
    """The configuration of all open contexts, inner ones last."""
    stack = getattr(_open, "contexts", None)
    if not stack:
        return {}
    merged: dict[str, Any] = {}
    for context in stack:
        merged.update(context.config)
    return merged
