"""Random regions of threads: element-wise code, reductions, scans and code of single threads over tiles."""

from __future__ import annotations

from dataclasses import dataclass

from program_text import Writer

# What the dimensions of a loop over the points of a tile are called, from the last one.
POINTS = ("h", "i", "j")


@dataclass(frozen=True)
class Tile:
    """A buffer in the Unified Buffer."""

    name: str
    shape: tuple
    dtype: str


class RegionWriter(Writer):
    """Writes regions over the tiles that have values."""

    tiles: list[Tile]
    vectors: list[Tile]
    defined: list[Tile]
    shape: tuple

    def region(self) -> None:
        threads = self.pick(32, 64, 100, 128, 256, "(8, 8)")
        sources = [self.known() for _ in range(self.pick(1, 2, 3))]
        with self.inside(f"with T.SimtVF(threads={threads}):"):
            source = sources[0]
            wide = source.dtype in ("float32", "int32")
            if len(source.shape) == 2 and self.chance(0.3) and wide:
                self.pick(self.reduction, self.row_reduction)(sources)
            elif wide and self.chance(0.1):
                self.line(f"T.cumsum({source.name}, dim={self.random.randrange(len(source.shape))})")
                self.clamp(source)
            elif len(source.shape) == 1 and isinstance(threads, int) and self.chance(0.15):
                self.threads(sources)
            else:
                for _ in range(self.pick(1, 1, 2)):
                    self.points(sources)

    def target(self) -> Tile:
        fits = [t for t in self.tiles if t.shape == self.shape]
        if fits and self.chance(0.75):
            return self.random.choice(fits)
        return self.tile() if len(self.tiles) < 8 else self.known()

    def points(self, sources: list[Tile]) -> None:
        target = self.target()
        points = list(POINTS[-len(target.shape) :])
        at = ", ".join(points)
        with self.inside(f"for {at} in T.Parallel({', '.join(map(str, target.shape))}):"):
            value = self.value([f'T.cast({s.name}[{self.element(s, target, points)}], "float32")' for s in sources])
            vectors = [v for v in self.vectors if v in self.defined]
            if len(points) == 2 and vectors and self.chance(0.5):
                value += f' - T.cast({self.random.choice(vectors).name}[i], "float32")'
            if self.chance(0.15):
                tensor = self.tensor_for(target, False)
                places = [f"{a} + {p}" for a, p in zip(self.place(tensor, target, False)[1:], points)]
                if not tensor.output:
                    value += f' + T.cast({tensor.name}[{self.core}, {", ".join(places)}], "float32")'
            self.line(f"{target.name}[{at}] = {self.narrowed(value, target.dtype)}")
        self.define(target)

    def element(self, source: Tile, target: Tile, points: list[str]) -> str:
        """The point itself; of another tile also the point across."""
        if source is target or not self.chance(0.25):
            return ", ".join(points)
        return ", ".join(f"{n - 1} - {p}" for p, n in zip(points, source.shape))

    def threads(self, sources: list[Tile]) -> None:
        """Code on the number of a thread, of which there may be fewer than elements."""
        target = self.known()
        self.line("x = T.get_thread_binding()")
        with self.inside(f"if x < {target.shape[0]}:"):
            value = self.value([f'T.cast({s.name}[x], "float32")' for s in sources])
            self.line(f"{target.name}[x] = {self.narrowed(value, target.dtype)}")

    def clamp(self, tile: Tile) -> None:
        """Keeps sums small; each element is of one thread."""
        self.line("T.sync_threads()")
        points = POINTS[-len(tile.shape) :]
        at = ", ".join(points)
        with self.inside(f"for {at} in T.Parallel({', '.join(map(str, tile.shape))}):"):
            self.line(f"{tile.name}[{at}] = T.max(T.min({tile.name}[{at}], 100), -100)")

    def row_reduction(self, sources: list[Tile]) -> None:
        """Of each row one value, which may carry over from region to region."""
        source = sources[0]
        rows, columns = source.shape
        kind = self.pick("reduce_max", "reduce_min", "reduce_sum", "reduce_absmax")
        s = self.name("s")
        self.line(f'{s} = T.alloc_fragment(({rows},), "{source.dtype}")')
        reduced = source.name
        if self.chance(0.5):
            reduced = self.name("x")
            self.line(f'{reduced} = T.alloc_fragment(({rows}, {columns}), "{source.dtype}")')
            self.line(f"T.copy({source.name}, {reduced})")
        self.line(f"T.{kind}({reduced}, {s}, dim=1)")
        carried = [v for v in self.vectors if v in self.defined]
        target = self.random.choice(carried) if carried and self.chance(0.7) else self.vector(rows)
        with self.inside(f"for i in T.Parallel({rows}):"):
            value = f'T.cast({s}[i], "float32")'
            if target in self.defined:
                old = f'T.cast({target.name}[i], "float32")'
                value = self.pick(f"T.max({old}, {value})", f"{old} + {value}", f"{old} - {value}")
            self.line(f"{target.name}[i] = {self.narrowed(value, target.dtype)}")
        self.define(target)

    def vector(self, rows: int) -> Tile:
        out = Tile(self.name("r"), (rows,), self.pick("float32", "float32", "float16", "int32"))
        self.tiles.append(out)
        self.vectors.append(out)
        return out

    def value(self, terms: list[str]) -> str:
        kind = self.random.random()
        out = terms[0]
        for term in terms[1:]:
            out = self.pick(f"{out} + {term}", f"{out} - {term}", f"T.max({out}, {term})", f"T.min({out}, {term})")
        if kind < 0.2:
            out = f"({out}) * {self.pick(0.5, 2, 3)}"
        elif kind < 0.4:
            out = f"{out} + {self.pick(1, 2)}"
        elif kind < 0.55:
            out = f'{out} + T.cast({self.random.choice(self.vars)}, "float32")'
        elif kind < 0.65:
            out = f"T.if_then_else({terms[0]} > 0, {out}, {terms[-1]} + 1)"
        elif kind < 0.7:
            out = f"T.abs({out})"
        return out

    def narrowed(self, value: str, dtype: str) -> str:
        """Sums stay in the range in which all dtypes are exact enough to be compared."""
        return f'T.cast(T.max(T.min({value}, {100}), -100), "{dtype}")'

    def reduction(self, sources: list[Tile]) -> None:
        source, target = sources[0], self.target()
        rows, columns = source.shape
        dim = self.pick(0, 1)
        kind = self.pick("reduce_max", "reduce_min", "reduce_sum")
        x, s = self.name("x"), self.name("s")
        self.line(f'{x} = T.alloc_fragment(({rows}, {columns}), "{source.dtype}")')
        self.line(f'{s} = T.alloc_fragment(({source.shape[1 - dim]},), "{source.dtype}")')
        self.line(f"T.copy({source.name}, {x})")
        self.line(f"T.{kind}({x}, {s}, dim={dim})")
        with self.inside(f"for i, j in T.Parallel({rows}, {columns}):"):
            value = self.value([f'T.cast({s}[{"ij"[1 - dim]}], "float32")', f'T.cast({x}[i, j], "float32")'])
            self.line(f"{target.name}[i, j] = {self.narrowed(value, target.dtype)}")
        self.define(target)
