"""The globals and closure cells that a function's source refers to, directly or through functions that it calls.

A traced kernel holds their values, so they belong to the key under which it may be used again:

    captured = captures(function)     # once for each function object
    key = captured.key()              # at each call: hashable, different where a value changed

Names are followed, attributes of the user's modules, classes and objects (`config.BLOCK`, `options.tile.rows`).
Names of attributes are not told from names of globals: a global of the same name counts too, at worst for nothing.
"""

from __future__ import annotations

import functools
import sysconfig
import types

_INSTALLED = tuple(sysconfig.get_path(which) for which in ("stdlib", "purelib", "platlib"))
# Objects of these have attributes that follow from what they are.
_OPAQUE = ("builtins", "tilelang", "numpy", "ml_dtypes", "torch", "tvm_ffi")
# How far attributes of attributes are followed.
_DEPTH = 3


class Captures:
    """`names` are dotted paths; `values()` are what they hold now."""

    __slots__ = ("_readers", "names")

    def __init__(self, readers: dict):
        self._readers = tuple(readers.values())
        self.names = tuple(readers)

    def values(self) -> tuple:
        return tuple(read() for read in self._readers)

    def items(self) -> dict:
        return dict(zip(self.names, self.values(), strict=True))

    def key(self) -> tuple:
        """Hashable: equal keys mean that every value is of the same type and equal, containers by content."""
        return tuple([fingerprint(read()) for read in self._readers])


class _Missing:
    """The value of a name that is not defined now."""


def captures(function) -> Captures:
    """What `function` refers to. Functions of this package and of the standard library are not followed."""
    readers: dict = {}
    _follow(function, readers, set())
    return Captures(readers)


def _follow(function, readers: dict, seen: set) -> None:
    function = _plain_function(function)
    if function is None or id(function.__code__) in seen:
        return
    seen.add(id(function.__code__))
    space = function.__globals__
    names = sorted(_names(function.__code__))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        _add(readers, seen, f"{function.__qualname__}.{name}", _cell_reader(cell), names)
    for name in names:
        if name in space:
            _add(readers, seen, f"{space.get('__name__')}.{name}", _global_reader(space, name), names)


def _add(readers: dict, seen: set, path: str, read, attributes: list[str], depth: int = _DEPTH) -> None:
    """Adds a value and those of its attributes that may be meant; of a module, these alone."""
    if path in readers:
        return
    value = read()
    if isinstance(value, types.ModuleType):
        for attribute in attributes if not _is_ours(value.__name__) else ():
            if not isinstance(getattr(value, attribute, None), (types.ModuleType, type(None), type)):
                _add(readers, seen, f"{value.__name__}.{attribute}", _attribute_reader(read, attribute), [])
    elif not (callable(value) and _is_installed(value)):
        readers[path] = read
        _follow(value, readers, seen)
        for attribute in attributes if depth > 0 and _has_state(value) else ():
            found = getattr(value, attribute, _Missing)
            if isinstance(found, types.MethodType):
                _follow(found, readers, seen)
            elif found is not _Missing:
                _add(readers, seen, f"{path}.{attribute}", _attribute_reader(read, attribute), attributes, depth - 1)


def _has_state(value) -> bool:
    """Whether a value is an object or a class of the user's, whose attributes may change."""
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__.partition(".")[0] not in _OPAQUE and not isinstance(value, types.FunctionType)


def _is_installed(value) -> bool:
    """Whether a callable is part of this package, of Python, or of an installed package: it does not change."""
    function = _plain_function(value)
    if function is None:
        return _is_ours(getattr(value, "__module__", None) or "builtins") or not hasattr(value, "__module__")
    return function.__code__.co_filename.startswith(_INSTALLED)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("tilelang", "builtins")


def _plain_function(value) -> types.FunctionType | None:
    """The user's Python function behind a function, a macro or a decorated function."""
    for _ in range(8):
        if isinstance(value, types.FunctionType):
            if not _is_ours(value.__module__ or ""):
                return value
            value = getattr(value, "__wrapped__", None)
        elif isinstance(value, types.MethodType):
            value = value.__func__
        else:
            value = getattr(value, "__wrapped__", None)
        if value is None:
            return None
    return None


@functools.lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> frozenset[str]:
    """Names of globals and attributes in a code object and those nested in it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return frozenset(found)


def _cell_reader(cell):
    def read():
        try:
            return cell.cell_contents
        except ValueError:  # assigned after the function was made
            return _Missing

    return read


def _global_reader(space: dict, name: str):
    return lambda: space.get(name, _Missing)


def _attribute_reader(read_owner, name: str):
    return lambda: getattr(read_owner(), name, _Missing)


def fingerprint(value):
    """A hashable stand-in: numbers and strings by type and value, containers by content, the rest by identity."""
    kind = type(value)
    if kind in (int, bool, str, bytes, type(None)):
        return kind, value
    if kind is float:
        return kind, value.hex()  # 0.0 and -0.0 differ, nan equals itself
    if kind in (list, tuple):
        return kind, tuple([fingerprint(v) for v in value])
    if kind is dict:
        return kind, tuple([(fingerprint(k), fingerprint(v)) for k, v in value.items()])
    if kind in (set, frozenset):
        return kind, frozenset(fingerprint(v) for v in value)
    if isinstance(value, str):
        return kind, str(value)
    if kind is types.FunctionType:
        return kind, Identity(value.__code__), tuple(_closure_fingerprints(value))
    return kind, Identity(value)


def _closure_fingerprints(function):
    for cell in function.__closure__ or ():
        value = _cell_reader(cell)()
        # One level: a closure may hold itself.
        yield Identity(value) if isinstance(value, (types.FunctionType, list, dict, set)) else fingerprint(value)


class Identity:
    """Equal to another one of the same object; keeps the object alive, so that its identity is not given to another."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
