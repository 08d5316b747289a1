"""Tile copies."""

from __future__ import annotations

import functools
from typing import Any, Literal

from tilelang._ffi import fn
from tilelang.frontend.state import fail, warn

from .buffer import Buffer, BufferLoad, BufferRegion
from .options import as_hints
from .tile import builder_of, tile

BufferLikeType = Buffer | BufferRegion | BufferLoad

_EVICTION = dict(zip((0, 1, 2), ("evict_normal", "evict_first", "evict_last"), strict=True))
_EVICTION.update({name: name for name in tuple(_EVICTION.values())})
_INSTRUCTIONS = {"tma": "tma", "cp_async": "cp_async", "sync": "sync"}


def _positional_width(function):
    """Older programs pass the width of a coalesced access as a third positional argument."""

    @functools.wraps(function)
    def call(src, dst, *width, **keywords):
        if width:
            if len(width) > 1:
                fail(TypeError, 84, f"T.{function.__name__} takes two positional arguments, not {2 + len(width)}")
            keywords.setdefault("coalesced_width", width[0])
            warn(
                88,
                f"T.{function.__name__}: a third positional argument is taken as coalesced_width: pass "
                f"coalesced_width={width[0]} by keyword",
            )
        return function(src, dst, **keywords)

    return call


@_positional_width
def copy(
    src: BufferLikeType,
    dst: BufferLikeType,
    *,
    coalesced_width: int | None = None,
    disable_tma: bool = False,
    eviction_policy: Literal["evict_normal", "evict_first", "evict_last"] | None = None,
    prefer_instruction: str | None = None,
    annotations: dict | None = None,
    loop_layout: Any | None = None,
):
    """Copies a tile from `src` to `dst`, converting the dtype.

    Each side is a buffer, a region or an element; an element names the first position and takes the other side's
    extents. Outside a global `src` zeros are read, outside a global `dst` nothing is written. Two whole buffers need
    equal shapes. Raises `ValueError` for unequal shapes and other objects, `AssertionError` where no side has
    extents (unless both are elements: then one element is copied), `KeyError` for an unknown eviction policy.
    """
    if loop_layout is not None:
        fail(
            RuntimeError,
            90,
            "T.copy: loop_layout is not available in this version",
            help="leave it out; the compiler chooses",
        )
    builder = builder_of("T.copy")
    hints = as_hints(annotations, coalesced_width=coalesced_width, disable_tma=disable_tma or None)
    evict = hints.pop("eviction_policy", eviction_policy if eviction_policy is not None else "evict_normal")
    if evict not in _EVICTION:
        fail(
            KeyError,
            44,
            f"T.copy: unknown eviction policy `{evict}`",
            help='use "evict_normal", "evict_first" or "evict_last"',
        )
    prefer = hints.pop("prefer_instruction", prefer_instruction)
    if prefer is not None and prefer not in _INSTRUCTIONS:
        warn(44, f"T.copy: unknown instruction `{prefer}` is ignored; tma, cp_async and sync are known")
    options = {"prefer": _INSTRUCTIONS.get(prefer, "any"), "evict": _EVICTION[evict], "hints": hints}
    fn.builder_copy(builder.h, tile(src, "T.copy", "src"), tile(dst, "T.copy", "dst"), options)
