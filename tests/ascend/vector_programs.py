"""Random programs of the vector core: copies, regions, loops and branches over tiles in the Unified Buffer."""

from __future__ import annotations

import random
from contextlib import contextmanager

from program_text import Program, Tensor
from region_statements import POINTS, RegionWriter, Tile

DTYPES = ("float32", "float32", "float32", "float16", "bfloat16", "int32", "int8")


class VectorProgram(RegionWriter):
    def make(self) -> Program:
        for launch in range(self.pick(1, 1, 1, 2)):
            self.launch(launch)
        return self.program()

    # --- launches -----------------------------------------------------------------------------------------------------

    def launch(self, number: int) -> None:
        self.cores = self.pick(1, 1, 2, 3)
        columns = self.pick(1, 3, 7, 8, 16, 17, 32, 33, 64, 100)
        planes, rows = self.pick(1, 2, 3), self.pick(1, 2, 3, 4, 5, 8)
        self.shape = (planes, rows, columns)[-self.pick(1, 2, 2, 2, 3) :]
        self.vars: list[str] = []
        self.defined: list[Tile] = []
        self.tiles: list[Tile] = []
        self.vectors: list[Tile] = []
        self.outermost: list[Tile] = []
        self.flags: str | None = None
        self.counter = None
        self.budget = self.pick(4, 6, 8, 10, 16)
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
            allocations = [self.allocation(t) for t in self.tiles + self.outermost]
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
            elif kind < 0.75:
                self.count()
            elif kind < 0.78:
                self.pick(self.set_element, self.planes, self.of_block)()
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

    # --- loops and branches -------------------------------------------------------------------------------------------

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
        if kind < 0.4:
            return f"{self.numbers()} > {self.pick(0, 1)}"
        if kind < 0.6:
            return f"{var} {self.pick('>', '<=', '==')} {self.pick(0, 1, 2)}"
        if kind < 0.8:
            return f"{self.scalar(self.pick(0, 1, 2))} > {self.pick(0, 1)}"
        tile = self.known()
        return f"{tile.name}[{', '.join('0' for _ in tile.shape)}] > {self.pick(0, 1)}"

    def branch(self, depth: int) -> None:
        with self.scope(), self.inside(f"if {self.condition()}:"):
            self.block(depth + 1)
        if self.chance(0.3):
            with self.scope(), self.inside("else:"):
                self.block(depth + 1)

    def numbers(self) -> str:
        """An element of a tensor of small numbers, by the number of an iteration."""
        if self.flags is None:
            self.flags = self.tensor("I", (64,), "int32", 0).name
        return f"{self.flags}[{self.random.choice(self.vars)}]"

    def set_element(self) -> None:
        """Scalar code of the core: an element of a tile is set."""
        tile = self.known()
        at = ", ".join(str(self.random.randrange(n)) for n in tile.shape)
        self.line(f'{tile.name}[{at}] = T.cast({self.pick("2", "3", self.core)}, "{tile.dtype}")')

    def planes(self) -> None:
        """Two tiles in turn, as a user writes them."""
        var, name = self.random.choice(self.vars), self.name("p")
        dtype = self.random.choice(DTYPES)
        tile = Tile(name, (2, *self.shape), dtype)
        self.outermost.append(tile)
        one = Tile(f"{name}[{var} % 2, {', '.join(f'0:{n}' for n in self.shape)}]", self.shape, dtype)
        self.load(one)
        points = POINTS[-len(self.shape) :]
        at = ", ".join(points)
        with self.inside(f"with T.SimtVF(threads={self.pick(32, 64)}):"):
            with self.inside(f"for {at} in T.Parallel({', '.join(map(str, self.shape))}):"):
                element = f"{name}[{var} % 2, {at}]"
                self.line(f"{element} = {self.narrowed(f'T.cast({element}, {chr(34)}float32{chr(34)}) + 1', dtype)}")
        self.store(one)
        self.defined.remove(one)

    def of_block(self) -> None:
        """A tile that is allocated where it is used."""
        tile = Tile(self.name("l"), self.shape, self.random.choice(DTYPES))
        self.line(self.allocation(tile))
        self.load(tile)
        self.region()
        self.store(tile)
        self.defined.remove(tile)

    @staticmethod
    def allocation(tile: Tile) -> str:
        return f'{tile.name} = T.alloc_shared({tile.shape!r}, "{tile.dtype}")'

    def count(self) -> None:
        if self.counter is not None:
            self.line(f"{self.counter} += {self.pick(1, 2)}")
            if self.counter not in self.vars:
                self.vars.append(self.counter)

    # --- tiles and copies ---------------------------------------------------------------------------------------------

    def tile(self, dtype: str | None = None, shape: tuple | None = None) -> Tile:
        out = Tile(self.name("t"), shape or self.shape, dtype or self.random.choice(DTYPES))
        self.tiles.append(out)
        return out

    def define(self, tile: Tile) -> None:
        if tile not in self.defined:
            self.defined.append(tile)

    def known(self) -> Tile:
        """A tile with values in it."""
        if not any(t.shape == self.shape for t in self.defined):
            self.load(self.tile())
        return self.random.choice([t for t in self.defined if t.shape == self.shape])

    def known_or_new(self) -> Tile:
        undefined = [t for t in self.tiles if t not in self.defined and t.shape == self.shape]
        if undefined and self.chance(0.3):
            return self.random.choice(undefined)
        return self.tile() if self.chance(0.4) and len(self.tiles) < 8 else self.known()

    def offset(self, unit: int, extent: int, before: bool = False) -> str:
        """An offset by variables; `before`: it may be negative."""
        var, kind = self.random.choice(self.vars), self.random.random()
        if before and self.chance(0.06):
            return f"({var} - {self.pick(1, 2)}) * {unit}"
        if kind < 0.55:
            return f"{var} * {unit}"
        if kind < 0.65:
            return f"({var} + 1) * {unit}"
        if kind < 0.75:
            return f"({var} + {self.random.choice(self.vars)}) * {unit}"
        if kind < 0.83:
            return f"{var} * {unit} + {self.pick(1, 3)}"
        if kind < 0.88:
            return f"T.max({self.numbers()}, 0) * {unit}"
        return str(min(self.pick(0, 0, 1, unit), extent - 1))

    def tensor_for(self, tile: Tile, output: bool) -> Tensor:
        fits = [t for t in self.tensors if t.dtype == tile.dtype and len(t.shape) == len(tile.shape) + 1]
        fits = [t for t in fits if t.output or not output]
        if fits and self.chance(0.6):
            return self.random.choice(fits)
        columns = max(1, tile.shape[-1] * self.pick(1, 2, 3, 4) + self.pick(0, 0, -1, 1, 5))
        rows = [max(1, n * self.pick(1, 1, 2) + self.pick(0, 0, -1, 1)) for n in tile.shape[:-1]]
        return self.tensor("BA"[not output], (3, *rows, columns), tile.dtype, output=output)

    def place(self, tensor: Tensor, tile: Tile, before: bool = True) -> list[str]:
        """Offsets into a tensor; the first dimension of one that is written belongs to the cores."""
        first = self.core if tensor.output or self.chance(0.6) else self.offset(1, 3)
        return [first, *(self.offset(n, extent, before) for n, extent in zip(tile.shape, tensor.shape[1:]))]

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
        if self.chance(0.15) and tile in self.tiles:
            rows = [self.random.randint(1, n) for n in tile.shape]
            begins = [self.random.randint(0, n - c) for n, c in zip(tile.shape, rows)]
            to = ", ".join([at[0], *(f"{a} : {a} + {n}" for a, n in zip(at[1:], rows))])
            part = ", ".join(f"{b}:{b + n}" for b, n in zip(begins, rows))
            self.line(f"T.copy({tile.name}[{part}], {tensor.name}[{to}])")
            return
        self.line(f"T.copy({tile.name}, {tensor.name}[{', '.join(at)}])")

    def load_part(self, tile: Tile) -> None:
        """A part of the tile."""
        tensor = self.tensor_for(tile, False)
        at = self.place(tensor, tile)
        counts = [self.random.randint(1, n) for n in tile.shape]
        begins = [self.random.randint(0, n - c) for n, c in zip(tile.shape, counts)]
        source = ", ".join([at[0], *(f"{a} : {a} + {n}" for a, n in zip(at[1:], counts))])
        to = ", ".join(f"{b}:{b + n}" for b, n in zip(begins, counts))
        self.line(f"T.copy({tensor.name}[{source}], {tile.name}[{to}])")


def vector_program(seed: int) -> Program:
    return VectorProgram(random.Random(seed)).make()
