"""The launch: `with T.Kernel(n) as bx` runs its body once for every core program of a one-dimensional grid."""

from __future__ import annotations

from tilelang.frontend.state import fail, need_builder
from tilelang.language.expr import PrimExpr, Var
from tilelang.language.kernel import KernelLaunchFrame, check_grid

from .region import SimtVFFrame, open_region


class CoreLaunchFrame(KernelLaunchFrame):
    """An open launch of AI cores. It has no threads of its own: what asks for them gets those of the open region."""

    __slots__ = ()

    def __init__(self, grid: list, prelude: str | None):
        super().__init__(grid, [1], prelude)

    def _options(self) -> dict:
        return {**super()._options(), "hints": {"cores": True}}

    def _region(self) -> SimtVFFrame:
        return open_region(need_builder("a thread index"), "a thread index")

    @property
    def threads(self) -> list:
        return self._region().thread_vars

    thread_vars = threads

    @property
    def thread_extents(self) -> list[int]:
        return self._region().thread_extents

    def get_thread_binding(self, dim: int = 0):
        return self._region().thread_vars[dim]

    def get_thread_bindings(self) -> list:
        return self._region().thread_vars

    @property
    def linear_thread(self) -> Var:
        """The number of a thread in its region, whatever the region's shape."""
        return self.lane_vars[0]


def Kernel(*blocks: int | PrimExpr, prelude: str | None = None) -> KernelLaunchFrame:
    """A grid of programs, each on one AI core: `with T.Kernel(n) as bx`.

    `blocks` is one extent, an int or an integer expression; `prelude` is source text put before the kernel. A core has
    threads only inside of `T.SimtVF`. Raises `ValueError` for another number of extents.
    """
    need_builder("T.Kernel")
    if len(blocks) != 1:
        fail(
            ValueError,
            71,
            f"T.Kernel of AI cores has exactly one grid extent, not {len(blocks)}",
            help="multiply the extents, and take the coordinate apart with // and %",
        )
    check_grid(list(blocks))
    return CoreLaunchFrame(list(blocks), prelude)
