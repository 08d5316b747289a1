"""Tile copies between the memories of an AI core."""

from __future__ import annotations

from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import fail
from tilelang.language.copy import BufferLikeType
from tilelang.language.expr import PrimExpr, Var, need_operand
from tilelang.language.options import as_hints
from tilelang.language.tile import builder_of, tile

from .options import cache_control, constant_or_none, unit_flag

_NO_PADS = "pads are made where tiles come from global memory into T.alloc_shared; leave it out"


def copy(
    src: BufferLikeType,
    dst: BufferLikeType,
    *,
    coalesced_width: int | None = None,
    transpose: bool = False,
    l2_cache_ctrl: int | str | None = None,
    unit_flag_ctrl: int | PrimExpr | None = None,
    sub_blockid: int | PrimExpr | None = None,
    pad_value: int | float | PrimExpr | None = None,
    data_select: bool = False,
    annotations: dict | None = None,
    loop_layout: Any | None = None,
):
    """Copies a tile from `src` to `dst`: buffers, regions, or elements that name a first position.

    Two whole buffers need as many elements, which keep their row-major order. Outside a global `src` `pad_value` (by
    default 0) is read, outside a global `dst` nothing is written. Engines of the core copy from global memory to the
    Unified Buffer and to L1, from there to L0A and L0B, from the Unified Buffer to global memory and to L1, and from
    L0C to both, with conversion from L0C alone; all other copies stand in a `T.SimtVF` region.

    `transpose` (to L1, L0A or L0B) swaps the last two dimensions. `l2_cache_ctrl` is a number or name of a cache policy
    of global memory. `data_select` pads with the value of the last `pad_value`, which counts as undefined.
    `unit_flag_ctrl` (0, 2 or 3) and `sub_blockid` (0 or 1) are for tiles from L0C.

    Raises `ValueError` for unequal counts, other paths, and options that do not apply to the path or are out of range.
    """
    if loop_layout is not None:
        fail(
            RuntimeError,
            90,
            "T.copy: loop_layout is not available in this version",
            help="leave it out; the compiler chooses",
        )
    builder = builder_of("T.copy")
    given = {
        "coalesced_width": coalesced_width,
        "transpose": transpose or None,
        "l2_cache_ctrl": l2_cache_ctrl,
        "unit_flag_ctrl": unit_flag_ctrl,
        "sub_blockid": sub_blockid,
        "data_select": data_select or None,
        **(annotations or {}),
    }
    source, target = tile(src, "T.copy", "src"), tile(dst, "T.copy", "dst")
    path = memory_of(src), memory_of(dst)
    hints = _checked(given, path)
    options = {"hints": hints}
    if pad_value is not None:
        _check_pad(pad_value, src, path, hints)
        options["pad"] = need_operand(pad_value, "T.copy: pad_value")
    fn.builder_copy(builder.h, source, target, options)


def buffer_of(value: BufferLikeType):
    """The buffer of an operand of a tile operation; a name bound to an element stands for that element."""
    if isinstance(value, Var):
        value = value.bound_value
    return value.buffer if hasattr(value, "buffer") else value


def memory_of(value: BufferLikeType) -> str:
    """The memory of an operand in one word: global, shared, l1, l0a, l0b, l0c, fragment, ...."""
    scope = buffer_of(value).scope()
    return "shared" if scope == "shared.dyn" else scope.rpartition(".")[2]


def _checked(given: dict, path: tuple[str, str]) -> dict:
    """The hints of a copy along `path`, from the options as given."""
    l2, flag, block = (given.pop(name, None) for name in ("l2_cache_ctrl", "unit_flag_ctrl", "sub_blockid"))
    for name in ("transpose", "data_select"):
        given[name] = bool(given[name]) or None
    hints = as_hints({name: value for name, value in given.items() if value is not None})
    if hints.get("transpose") and path[1] not in ("l1", "l0a", "l0b"):
        _refuse(
            "transpose", path, "only tiles for L1, L0A and L0B are transposed on their way; copy in a T.SimtVF region"
        )
    if hints.get("data_select") and path != ("global", "shared"):
        _refuse("data_select", path, _NO_PADS)
    if l2 is not None:
        if "global" not in path:
            _refuse("l2_cache_ctrl", path, "it is about global memory; leave it out")
        hints["l2_cache_ctrl"] = cache_control(l2, is_load=path[0] == "global")
    if flag is not None:
        if path[0] != "l0c":
            _refuse("unit_flag_ctrl", path, "it is for tiles from L0C; leave it out")
        value = unit_flag(flag, "T.copy")
        if value is not None:
            hints["unit_flag_ctrl"] = value
    if block is not None:
        if path != ("l0c", "shared"):
            _refuse("sub_blockid", path, "it is for tiles from L0C to T.alloc_shared; leave it out")
        number = constant_or_none(block)
        if number is None:
            fail(
                RuntimeError,
                90,
                f"T.copy: sub_blockid is `{block}`, and one known only at run time is not available in this version",
                help="use 0 or 1",
            )
        if number not in (0, 1):
            fail(
                ValueError,
                45,
                f"T.copy: sub_blockid is {number}, but a core has vector units 0 and 1",
                help="use 0 or 1",
            )
        hints["sub_blockid"] = number
    return hints


def _check_pad(pad_value, src: BufferLikeType, path: tuple[str, str], hints: dict) -> None:
    if path != ("global", "shared"):
        _refuse("pad_value", path, _NO_PADS)
    if hints.get("data_select"):
        fail(
            ValueError,
            45,
            "T.copy: pad_value sets the value of pads, data_select keeps the last one: they exclude each other",
            help="leave out one of the two",
        )
    element = buffer_of(src).dtype
    if element.bits not in (8, 16, 32):
        fail(
            ValueError,
            45,
            f"T.copy: elements of {element} have no pad_value, only those of 8, 16 or 32 bits have",
            help="guard what lies beyond the tensor in a region",
        )


def _refuse(option: str, path: tuple[str, str], help: str):
    fail(
        ValueError,
        45,
        f"T.copy: {option} does not apply to a copy from {path[0]} to {path[1]}",
        help=help,
    )
