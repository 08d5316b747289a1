"""Loops of the dialect: those of the common language with its keywords, and the tiles that a core owns."""

from __future__ import annotations

import functools
from typing import Any

from tilelang._ffi import fn
from tilelang.frontend.state import Builder, fail, need_builder
from tilelang.language import loop as common
from tilelang.language.expr import PrimExpr, Var, wrap
from tilelang.language.loop import LoopFrame, bound, loop_names
from tilelang.language.math import ceildiv, floordiv, floormod
from tilelang.language.math import min as smaller
from tilelang.language.options import as_hints, const_int


def Parallel(
    *extents: int | PrimExpr,
    coalesced_width: int | None = None,
    loop_layout: Any | None = None,
    annotations: dict[str, Any] | None = None,
):
    """A nest over the box `extents`, shared by the threads of the region, its points in any order.

    Two points must not write one element. Raises `IndexError` without extents, `ValueError` outside of a region.
    """
    return common.Parallel(*extents, coalesced_width=coalesced_width, loop_layout=loop_layout, annotations=annotations)


def unroll(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    explicit: bool = False,
    annotations: dict[str, Any] | None = None,
):
    """A serial loop whose body is repeated. `explicit` repeats it in the program itself, with ints as indices.

    Raises `ValueError` for `explicit` with bounds that are not constants.
    """
    return common.unroll(start, stop, step, explicit=explicit, annotations=annotations)


def Unroll(
    start: PrimExpr,
    stop: PrimExpr | None = None,
    step: PrimExpr | None = None,
    *,
    explicit: bool = False,
    annotations: dict[str, Any] | None = None,
):
    """`T.unroll`."""
    return unroll(start, stop, step, explicit=explicit, annotations=annotations)


class TileLoop(LoopFrame):
    """`for m, n in T.Persistent((M, N), cores, core)`: a loop over the numbers of the core's tiles."""

    __slots__ = ("domain", "hints", "index", "panel", "stages", "wave")

    def __init__(self, domain: list, wave, index, panel: int | None, stages: int, hints: dict):
        super().__init__()
        self.domain, self.wave, self.index = domain, wave, index
        self.panel, self.stages, self.hints = panel, stages, hints

    def open(self, builder: Builder, names: list[str]):
        names = loop_names(names, len(self.domain))
        tile = self._tile(builder, names[0] if len(self.domain) == 1 else "tile")
        if len(self.domain) == 1:
            return tile
        return tuple(bind(builder, name, value) for name, value in zip(names, self._coordinates(tile), strict=True))

    def _tile(self, builder: Builder, name: str) -> PrimExpr:
        """Opens the loop; the number of the tile."""
        total = product_of(self.domain)
        if isinstance(self.wave, int):
            return self._loop(builder, name, self.index, total, self.wave)
        # A loop with a step known only at run time would be one that may not end.
        turn = self._loop(builder, "turn", 0, ceildiv(total - self.index, self.wave), 1)
        return bind(builder, name, turn * self.wave + self.index)

    def _loop(self, builder: Builder, name: str, *bounds) -> Var:
        kind = "pipelined" if self.stages > 0 else "serial"
        options = {"hints": self.hints, "stages": self.stages}
        begin, end, step = (bound(v, "a bound of T.Persistent") for v in bounds)
        return Var._of(fn.builder_for(builder.h, name, begin, end, step, kind, options), name)

    def _coordinates(self, tile: Var) -> list[PrimExpr]:
        """Of the tile with this number. Panels of columns follow each other; in a panel rows do, in a row columns."""
        # An extent of 0 leaves no tile, and nothing to divide by.
        *rows, columns = [1 if isinstance(n, int) and n == 0 else n for n in self.domain]
        count = product_of(rows)
        panel = columns if self.panel is None else smaller(self.panel, columns)
        whole = isinstance(columns, int) and columns % panel == 0
        first = panel * floordiv(tile, count * panel)
        inside = floormod(tile, count * panel)
        width = panel if whole else smaller(panel, columns - first)
        place, result = floordiv(inside, width), [first + floormod(inside, width)]
        for extent in reversed(rows[1:]):
            result.insert(0, floormod(place, extent))
            place = floordiv(place, extent)
        return [place, *result]


def product_of(extents: list):
    return functools.reduce(lambda a, b: a * b, extents)


def bind(builder: Builder, name: str, value: PrimExpr) -> PrimExpr:
    """`value`, computed here, under a name."""
    return wrap(fn.builder_bind(builder.h, name, value._h))


def Persistent(
    domain: list[PrimExpr],
    wave_size: PrimExpr,
    index: PrimExpr,
    group_size: PrimExpr | int | None = 8,
    num_stages: int = 0,
    *,
    annotations: dict[str, Any] | None = None,
):
    """The tiles of the box `domain` that core `index` of `wave_size` cores owns: numbers index, index + wave_size, ....

    The loop variables are the coordinates of a tile. Tiles are numbered in panels of `group_size` columns (None: all
    columns) for cache reuse. With `num_stages` iterations may overlap, as in `T.Pipelined`. Raises `ValueError` for an
    empty domain, `wave_size` or `group_size` below 1, and a `group_size` that is no constant.
    """
    need_builder("T.Persistent")
    extents = list(domain) if isinstance(domain, (list, tuple)) else [domain]
    if not extents:
        fail(ValueError, 68, "T.Persistent: the domain has no extents", help="give one extent a loop variable")
    panel = None if group_size is None else const_int(group_size, "T.Persistent: group_size")
    for value, what in ((wave_size, "wave_size"), (panel, "group_size")):
        if isinstance(value, int) and value < 1:
            fail(ValueError, 65, f"T.Persistent: {what} is {value}", help="use 1 or more")
    stages = max(0, const_int(num_stages, "T.Persistent: num_stages", 69, TypeError))
    return TileLoop(extents, wave_size, index, panel, stages, as_hints(annotations))
