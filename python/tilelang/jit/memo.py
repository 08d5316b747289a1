"""Keys of compile-time values: what makes two calls need different kernels."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from typing import Any

from tilelang.backend.cuda import current_arch_key
from tilelang.backend.target import has_registered_targets
from tilelang.env import compile_key, default_target_key
from tilelang.errors import error_class
from tilelang.frontend import fingerprint
from tilelang.transform.pass_context import current_configs

_PLAIN = (int, bool, str, type(None))


def value_key(value: Any, refusal: str):
    """A key that is equal for values of the same type and content: 1, True and 1.0 are three.

    Raises `TypeError` with `refusal` for a value that is not hashable.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, value.hex()
    if kind is tuple:
        return kind, tuple([value_key(item, refusal) for item in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        _need_hash(value, refusal)
        fields = dataclasses.fields(value)
        return kind, tuple([value_key(getattr(value, field.name), refusal) for field in fields])
    _need_hash(value, refusal)
    if kind.__eq__ is object.__eq__ or callable(value):
        return fingerprint(value)
    return kind, value


def _need_hash(value: Any, refusal: str) -> None:
    try:
        hash(value)
    except TypeError:
        raise error_class(TypeError)(
            f"{refusal}: {type(value).__name__}; compile-time values are hashable: numbers, strings, tuples, dtypes, "
            "functions, frozen dataclasses"
        ) from None


def method_owner(value: Any, function: Callable) -> bool:
    """Whether `function` is a method of `value`'s class."""
    cls = type(value)
    if cls in _PLAIN or cls.__module__ in ("builtins", "numpy", "torch"):
        return False
    found = inspect.getattr_static(cls, function.__name__, None)
    return found is function or getattr(found, "func", None) is function


def state_key(instance: Any):
    """The key of the object that a method is called on: its type and what its attributes hold now."""
    state = getattr(instance, "__dict__", None)
    return (type(instance), fingerprint(instance if state is None else state))


def option_key(value: Any):
    """The key of an option of a compile call: equal for equal ones. Raises `TypeError` for an option of a type whose
    content may change without showing."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is dict:
        return kind, tuple([(name, option_key(item)) for name, item in value.items()])
    if kind in (list, tuple):
        return kind, tuple(map(option_key, value))
    raise TypeError


def compile_call_key(options: tuple):
    """The key of a compile call of one function: its options and everything around it. None where there is none, and
    the call has to be looked at in full."""
    if has_registered_targets():
        return None
    try:
        given = tuple(map(option_key, options))
    except TypeError:
        return None
    return given, ambient_key(), compile_key(), tuple(sys.path)


def ambient_key():
    """What decides about a kernel and comes from around the call."""
    scope = sys.modules.get("tilelang.tvm.target")
    target = scope.Target.current() if scope is not None else None
    configs = current_configs()
    named = tuple(sorted(map(repr, configs.items()))) if configs else ()
    return default_target_key(), target, current_arch_key(), named
