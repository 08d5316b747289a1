"""The launch: `with T.Kernel(...)` runs its body once for every tile program of a grid."""

from __future__ import annotations

from tilelang._ffi import fn
from tilelang.frontend.state import current, fail, need_builder

from .expr import PrimExpr, Var
from .loop import bound
from .options import older_keywords

_BLOCKS = ("bx", "by", "bz")
_LANES = ("tx", "ty", "tz")
_DEFAULT_THREADS = 128


class KernelLaunchFrame:
    """An open launch: its coordinates and extents. `threads` and `blocks` are the index variables."""

    __slots__ = ("_grid", "_threads", "block_vars", "depth", "lane_vars", "prelude")
    is_symbolic = 0

    def __init__(self, grid: list, threads: list[int], prelude: str | None):
        builder = need_builder("T.Kernel")
        if builder.eager is not None:
            builder.eager.reached_launch()
        self._grid, self._threads, self.prelude = grid, threads, prelude
        self.block_vars: list[Var] = []
        self.lane_vars: list[Var] = []
        self.depth = 1

    def __enter__(self):
        builder = need_builder("T.Kernel")
        grid = [bound(extent, "grid extent") for extent in self._grid]
        names = list(_BLOCKS[: len(grid)])
        blocks = fn.builder_launch(builder.h, grid, self._threads, names, self._options())
        self.block_vars = [Var._of(h, name) for h, name in zip(blocks, names, strict=True)]
        self.lane_vars = [Var._of(h, name) for h, name in zip(fn.builder_lanes(builder.h), _LANES, strict=False)]
        builder.push(self)
        builder.launch = self
        builder.launches += 1
        return self.block_vars[0] if len(self.block_vars) == 1 else self.block_vars

    def _options(self) -> dict:
        return {"prelude": self.prelude} if self.prelude else {}

    def __exit__(self, kind, error, traceback) -> bool:
        builder = current()
        if kind is None:
            builder.pop(self)
        elif self in builder.frames:
            builder.unwind(builder.frames.index(self))
        builder.launch = None
        return False

    @classmethod
    def Current(cls) -> KernelLaunchFrame | None:
        """The open launch of this thread, or None."""
        builder = current()
        return builder.launch if builder is not None else None

    @property
    def blocks(self) -> list[Var]:
        return list(self.block_vars)

    @property
    def threads(self) -> list[Var]:
        return list(self.lane_vars)

    @property
    def grid_extents(self) -> list:
        return list(self._grid)

    @property
    def thread_extents(self) -> list[int]:
        return self._threads + [1] * (3 - len(self._threads))

    @property
    def num_threads(self) -> int:
        x, y, z = self.thread_extents
        return x * y * z

    grid_vars = blocks
    thread_vars = threads

    def get_block_binding(self, dim: int = 0) -> Var:
        return self.block_vars[dim]

    def get_block_bindings(self) -> list[Var]:
        return self.blocks

    def get_block_extent(self, dim: int) -> int:
        return _constant_extent(self._grid[dim], dim)

    def get_block_extents(self) -> list[int]:
        return [_constant_extent(extent, dim) for dim, extent in enumerate(self._grid)]

    def get_thread_binding(self, dim: int = 0) -> Var:
        return self.lane_vars[dim]

    def get_thread_bindings(self) -> list[Var]:
        return self.threads

    def get_thread_extent(self, dim: int) -> int:
        return self.thread_extents[dim]

    def get_thread_extents(self) -> list[int]:
        return self.thread_extents

    def get_num_threads(self) -> int:
        return self.num_threads


def _constant_extent(extent, dim: int) -> int:
    if not isinstance(extent, int):
        fail(ValueError, 85, f"grid extent {dim} is `{extent}`, which is not a constant")
    return extent


def _thread_counts(threads) -> list[int]:
    """The block's shape, one to three ints. Raises `ValueError` for anything else."""
    if threads is None:
        return [_DEFAULT_THREADS]
    counts = list(threads) if isinstance(threads, (list, tuple)) else [threads]
    if not 1 <= len(counts) <= 3 or any(isinstance(c, bool) or not isinstance(c, int) for c in counts):
        fail(
            ValueError,
            70,
            f"threads must be an integer or a list of integers (at most 3), not `{threads}`",
            help="it is a Python value, such as threads=128 or threads=(32, 4)",
        )
    if any(c <= 0 for c in counts):
        fail(ValueError, 70, f"threads must be positive, not {threads}", help="leave it out for 128")
    return counts


@older_keywords(
    is_cpu="the target decides",
    cpu_num_threads="the host runtime decides",
)
def Kernel(
    *blocks: int | PrimExpr,
    threads: int | list[int] | tuple[int, ...] | None = None,
    prelude: str | None = None,
    cluster_dims: int | tuple[int, int, int] | list[int] | None = None,
) -> KernelLaunchFrame:
    """A grid of tile programs, `with T.Kernel(nx, ny, threads=128) as (bx, by)`.

    `blocks` are 0 to 3 extents (none is one program), `threads` the threads of a program (an int or up to three;
    default 128), `prelude` source text put before the kernel.
    """
    need_builder("T.Kernel")
    if len(blocks) > 3:
        fail(
            ValueError,
            71,
            f"T.Kernel takes at most 3 grid extents, not {len(blocks)}",
            help="multiply extents, and take the coordinate apart with // and %",
        )
    grid = list(blocks) or [1]
    check_grid(grid)
    if cluster_dims is not None and _cluster_of(cluster_dims) != [1, 1, 1]:
        fail(RuntimeError, 90, "T.Kernel: cluster_dims is not available in this version", help="leave it out")
    return KernelLaunchFrame(grid, _thread_counts(threads), prelude)


def check_grid(grid: list) -> None:
    """Raises `ValueError` for an extent that is no integer, or negative."""
    for extent in grid:
        if not isinstance(extent, (int, PrimExpr)) or (isinstance(extent, PrimExpr) and not _is_integer(extent)):
            fail(ValueError, 71, f"grid extent `{extent}` is not an integer", help="T.ceildiv(n, block) rounds up")
        if isinstance(extent, int) and extent < 0:
            fail(ValueError, 71, f"grid extent {extent} is negative", help="an extent of 0 launches nothing")


def _is_integer(extent: PrimExpr) -> bool:
    return extent.dtype.is_integer()


def _cluster_of(dims) -> list[int]:
    dims = [dims] if isinstance(dims, int) else list(dims)
    return dims + [1] * (3 - len(dims))


def _open_launch(what: str) -> KernelLaunchFrame:
    builder = need_builder(what)
    if builder.launch is None:
        fail(RuntimeError, 73, f"{what} needs an open `with T.Kernel(...)`", help="call it in the body of the launch")
    return builder.launch


def get_thread_binding(dim: int = 0) -> Var:
    """The thread's index in dimension `dim` of the block."""
    return _open_launch("T.get_thread_binding").get_thread_binding(dim)


def get_thread_bindings() -> list[Var]:
    return _open_launch("T.get_thread_bindings").get_thread_bindings()


def get_block_binding(dim: int = 0) -> Var:
    """The tile program's coordinate in dimension `dim` of the grid."""
    return _open_launch("T.get_block_binding").get_block_binding(dim)


def get_block_bindings() -> list[Var]:
    return _open_launch("T.get_block_bindings").get_block_bindings()


def get_thread_extent(dim: int = 0) -> int:
    return _open_launch("T.get_thread_extent").get_thread_extent(dim)


def get_thread_extents() -> list[int]:
    return _open_launch("T.get_thread_extents").get_thread_extents()


def get_block_extent(dim: int = 0) -> int:
    return _open_launch("T.get_block_extent").get_block_extent(dim)


def get_block_extents() -> list[int]:
    return _open_launch("T.get_block_extents").get_block_extents()


def sync_threads(barrier_id: int = None, arrive_count: int = None):
    """Waits until all threads of the block (or `arrive_count` threads on the barrier `barrier_id`) arrive."""
    fn.builder_barrier(
        need_builder("T.sync_threads").h,
        -1 if barrier_id is None else barrier_id,
        -1 if arrive_count is None else arrive_count,
    )


def sync_grid():
    """Waits until all threads of all tile programs arrive; these then run at once, so the grid must fit the device.

    What any of them wrote before is seen by all after. CUDA targets and `target="interpret"` have it.
    """
    fn.builder_grid_barrier(need_builder("T.sync_grid").h)
