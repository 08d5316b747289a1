"""Random programs of the vector core: copies, regions of threads, loops and branches over tiles in the Unified Buffer."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass

from program_text import Program, Tensor, Writer

DTYPES = ("float32", "float32", "float32", "float16", "bfloat16", "int32", "int8")
FLOATS = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Tile:
    """A buffer in the Unified Buffer."""

    name: str
    shape: tuple
    dtype: str


class VectorProgram(Writer):
    def make(self) -> Program:
        for launch in range(self.pick(1, 1, 1, 2)):
            self.launch(launch)
        return self.program()

    # --- launches ------------------------------------------------------------------------------------------------------

    def launch(self, number: int) -> None:
        self.cores = self.pick(1, 1, 2, 3)
        self.rank = self.pick(1, 2, 2)
        columns = self.pick(1, 3, 7, 8, 16, 17, 32, 33, 64, 100)
        self.shape = (columns,) if self.rank == 1 else (self.pick(1, 2, 3, 4, 5, 8), columns)
        self.vars: list[str] = []
        self.defined: list[Tile] = []
        self.tiles: list[Tile] = []
        self.counter = None
        self.budget = self.pick(4, 6, 8, 10)
        self.core = f"c{number}"
        with self.inside(f"with T.Kernel({self.cores}) as {self.core}:"):
            self.vars.append(self.core)
            start = len(self.lines)
            for _ in range(self.pick(0, 0, 1, 2)):
                self.load(self.tile())
            if self.chance(0.3):
                self.counter = f"v{number}"
                self.line(f'{self.counter} = T.alloc_var("int32", init={self.pick(0, 1)})')
            if self.chance(0.85):
                self.loop(0)
            self.block(0)
            for tile in self.defined[-2:]:
                self.store(tile)
            allocations = [f'{t.name} = T.alloc_shared({t.shape!r}, "{t.dtype}")' for t in self.tiles]
            self.lines[start:start] = ["    " * self.depth + text for text in allocations]

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            if self.budget <= 0:
                return
            self.budget -= 1
            kind = self.random.random()
            if kind < 0.24:
                self.load(self.known_or_new())
            elif kind < 0.42:
                self.store(self.known())
            elif kind < 0.68:
                self.region()
            elif kind < 0.72:
                self.load_part(self.known())
            elif kind < 0.78:
                self.count()
            elif kind < 0.88 and depth < 3:
                self.loop(depth)
            elif depth < 3:
                self.branch(depth)

    @contextmanager
    def scope(self):
        """What is defined inside may not be behind it."""
        defined, variables = list(self.defined), list(self.vars)
        yield
        self.defined, self.vars = defined, variables

    # --- loops and branches --------------------------------------------------------------------------------------------

    def trips(self) -> str:
        kind = self.random.random()
        if kind < 0.45:
            return str(self.pick(0, 1, 2, 3, 4, 5))
        if kind < 0.7:
            return self.scalar(self.pick(0, 1, 2, 3, 5))
        if kind < 0.85 and self.symbols:
            return f"T.ceildiv({self.random.choice(list(self.symbols))}, {self.shape[-1]})"
        return f"{self.random.choice(self.vars)} + {self.pick(0, 1, 2)}"

    def loop(self, depth: int) -> None:
        var = f"k{self.names}"
        self.names += 1
        trips, kind = self.trips(), self.random.random()
        begin = self.pick(1, 2)
        if kind < 0.5:
            head = f"T.Pipelined({trips}, num_stages={self.pick(1, 2, 2, 3)})"
        elif kind < 0.6:
            head = f"T.Pipelined({begin}, {begin} + {trips}, num_stages={self.pick(2, 3)})"
        elif kind < 0.75:
            head = f"T.serial({trips})"
        elif kind < 0.85:
            head = f"T.serial({begin}, {begin} + {trips}, {self.pick(2, 3)})"
        elif kind < 0.9:
            head = f"T.unroll({self.pick(1, 2, 3)})"
        else:
            head = f"T.Persistent([{trips}], {self.cores}, {self.core}, num_stages={self.pick(0, 2, 3)})"
        with self.scope(), self.inside(f"for {var} in {head}:"):
            self.vars.append(var)
            if self.chance(0.5):
                tile = self.tile()
                self.load(tile)
                if self.chance(0.7):
                    self.region()
            self.block(depth + 1)
            if self.chance(0.7):
                self.store(self.known())

    def condition(self) -> str:
        kind, var = self.random.random(), self.random.choice(self.vars)
        if kind < 0.3:
            return f"{var} % 2 == {self.pick(0, 1)}"
        if kind < 0.6:
            return f"{var} {self.pick('>', '<=', '==')} {self.pick(0, 1, 2)}"
        if kind < 0.8 or self.avoids("branch on a tile"):
            return f"{self.scalar(self.pick(0, 1, 2))} > {self.pick(0, 1)}"
        tile = self.known()
        return f"{tile.name}[{', '.join('0' for _ in tile.shape)}] > {self.pick(0, 1)}"

    def branch(self, depth: int) -> None:
        with self.scope(), self.inside(f"if {self.condition()}:"):
            self.block(depth + 1)
        if self.chance(0.3):
            with self.scope(), self.inside("else:"):
                self.block(depth + 1)

    def count(self) -> None:
        if self.counter is not None:
            self.line(f"{self.counter} += {self.pick(1, 2)}")
            if self.counter not in self.vars:
                self.vars.append(self.counter)

    # --- tiles and copies ----------------------------------------------------------------------------------------------

    def tile(self, dtype: str | None = None, shape: tuple | None = None) -> Tile:
        out = Tile(self.name("t"), shape or self.shape, dtype or self.random.choice(DTYPES))
        self.tiles.append(out)
        return out

    def define(self, tile: Tile) -> None:
        if tile not in self.defined:
            self.defined.append(tile)

    def known(self) -> Tile:
        """A tile with values in it."""
        if not self.defined:
            self.load(self.tile())
        return self.random.choice(self.defined)

    def known_or_new(self) -> Tile:
        undefined = [t for t in self.tiles if t not in self.defined]
        if undefined and self.chance(0.3):
            return self.random.choice(undefined)
        return self.tile() if self.chance(0.4) and len(self.tiles) < 6 else self.known()

    def offset(self, unit: int, extent: int) -> str:
        var, kind = self.random.choice(self.vars), self.random.random()
        if kind < 0.55:
            return f"{var} * {unit}"
        if kind < 0.65:
            return f"({var} + 1) * {unit}"
        if kind < 0.75:
            return f"({var} + {self.random.choice(self.vars)}) * {unit}"
        if kind < 0.85:
            return f"{var} * {unit} + {self.pick(1, 3)}"
        return str(min(self.pick(0, 0, 1, unit), extent - 1))

    def tensor_for(self, tile: Tile, output: bool) -> Tensor:
        fits = [t for t in self.tensors if t.dtype == tile.dtype and len(t.shape) == len(tile.shape) + 1]
        fits = [t for t in fits if t.output or not output]
        if fits and self.chance(0.6):
            return self.random.choice(fits)
        columns = max(1, tile.shape[-1] * self.pick(1, 2, 3, 4) + self.pick(0, 0, -1, 1, 5))
        rows = [max(1, n * self.pick(1, 1, 2) + self.pick(0, 0, -1, 1)) for n in tile.shape[:-1]]
        return self.tensor("BA"[not output], (3, *rows, columns), tile.dtype, output=output)

    def place(self, tensor: Tensor, tile: Tile) -> list[str]:
        """Offsets into a tensor; the first dimension of one that is written belongs to the cores."""
        inside = self.avoids("planes outside of the tensor")
        first = self.core if tensor.output or self.chance(0.6) or inside else self.offset(1, 3)
        return [first, *(self.offset(n, extent) for n, extent in zip(tile.shape, tensor.shape[1:]))]

    def load(self, tile: Tile) -> None:
        tensor = self.tensor_for(tile, False)
        options = ""
        if self.chance(0.15):
            options = f", pad_value={self.pick(1, 2, 7)}"
        self.line(f"T.copy({tensor.name}[{', '.join(self.place(tensor, tile))}], {tile.name}{options})")
        self.define(tile)

    def store(self, tile: Tile) -> None:
        tensor = self.tensor_for(tile, True)
        at = self.place(tensor, tile)
        if self.chance(0.15):
            rows = [self.random.randint(1, n) for n in tile.shape]
            to = ", ".join([at[0], *(f"{a} : {a} + {n}" for a, n in zip(at[1:], rows))])
            self.line(f"T.copy({tile.name}[{', '.join(f'0:{n}' for n in rows)}], {tensor.name}[{to}])")
            return
        self.line(f"T.copy({tile.name}, {tensor.name}[{', '.join(at)}])")

    def load_part(self, tile: Tile) -> None:
        """A part of the tile, from the beginning of a row on."""
        tensor = self.tensor_for(tile, False)
        at = self.place(tensor, tile)
        counts = [self.random.randint(1, n) for n in tile.shape]
        begins = [self.random.randint(0, n - c) for n, c in zip(tile.shape, counts)]
        begins[-1] = 0
        source = ", ".join([at[0], *(f"{a} : {a} + {n}" for a, n in zip(at[1:], counts))])
        to = ", ".join(f"{b}:{b + n}" for b, n in zip(begins, counts))
        self.line(f"T.copy({tensor.name}[{source}], {tile.name}[{to}])")

    # --- regions -------------------------------------------------------------------------------------------------------

    def region(self) -> None:
        threads = self.pick(32, 64, 100, 128, 256, "(8, 8)")
        sources = [self.known() for _ in range(self.pick(1, 2, 3))]
        with self.inside(f"with T.SimtVF(threads={threads}):"):
            if len(sources[0].shape) == 2 and self.chance(0.3) and sources[0].dtype in ("float32", "int32"):
                self.reduction(sources)
            else:
                several = self.pick(1, 1, 2)
                for _ in range(several):
                    self.points(sources, several > 1)

    def target(self) -> Tile:
        fits = [t for t in self.tiles if t.shape == self.shape]
        if fits and self.chance(0.75):
            return self.random.choice(fits)
        return self.tile() if len(self.tiles) < 6 else self.known()

    def points(self, sources: list[Tile], several: bool) -> None:
        target = self.target()
        points = ["i", "j"][-len(target.shape) :]
        at = ", ".join(points)
        with self.inside(f"for {at} in T.Parallel({', '.join(map(str, target.shape))}):"):
            value = self.value([f'T.cast({s.name}[{self.element(s, target, points, several)}], "float32")' for s in sources])
            if self.chance(0.15):
                tensor = self.tensor_for(target, False)
                places = [f"{a} + {p}" for a, p in zip(self.place(tensor, target)[1:], points)]
                if not tensor.output:
                    value += f' + T.cast({tensor.name}[{self.core}, {", ".join(places)}], "float32")'
            self.line(f"{target.name}[{at}] = {self.narrowed(value, target.dtype)}")
        self.define(target)

    def element(self, source: Tile, target: Tile, points: list[str], several: bool) -> str:
        """The point itself; of another tile also the point across."""
        here = several and self.avoids("exchange in a region")
        if source is target or here or not self.chance(0.25):
            return ", ".join(points)
        return ", ".join(f"{n - 1} - {p}" for p, n in zip(points, source.shape))

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
            names = [v for v in self.vars if v != self.counter or not self.avoids("variable in a region")]
            out = f'{out} + T.cast({self.random.choice(names)}, "float32")'
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
        if target is source and self.avoids("exchange in a region"):
            target = self.tile()
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


def vector_program(seed: int) -> Program:
    return VectorProgram(random.Random(seed)).make()
