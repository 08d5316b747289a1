"""Random programs of the cube core: products with tails, of one or several pairs of operands, by rows of loops."""

from __future__ import annotations

import random
from contextlib import nullcontext
from dataclasses import dataclass

from program_text import Program, Tensor, Writer

BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "int8": 1}


@dataclass(frozen=True)
class Sums:
    """An accumulator in L0C and the pairs of tensors whose products it adds up."""

    name: str
    pairs: tuple


class CubeProgram(Writer):
    def make(self) -> Program:
        self.dtype = self.pick("float16", "float16", "bfloat16", "float32", "int8")
        self.sum_dtype = "int32" if self.dtype == "int8" else "float32"
        unit = 32 // BYTES[self.dtype]
        self.block = (self.pick(16, 16, 32, 48), self.pick(16, 32, 48, 64), unit * self.pick(1, 2, 3, 4, 40))
        self.size = tuple(self.extent_of(n) for n in self.block)
        self.cores = self.pick(1, 2, 3)
        self.allocations: list[str] = []
        self.k_trips = f"T.ceildiv({self.size[2]}, {self.block[2]})"
        with self.inside(f"with T.Kernel({self.cores}) as core:"):
            start = len(self.lines)
            self.tiles()
            self.lines[start:start] = ["    " * self.depth + text for text in self.allocations]
        return self.program()

    def extent_of(self, block: int) -> int:
        return max(1, block * self.pick(0, 1, 1, 2, 3) + self.pick(0, 0, 1, -1, 5, block // 2))

    def alloc(self, prefix: str, call: str) -> str:
        name = self.name(prefix)
        self.allocations.append(f"{name} = {call}")
        return name

    # --- tiles of the result ------------------------------------------------------------------------------------------

    def tiles(self) -> None:
        (block_m, block_n, _), (m, n, _) = self.block, self.size
        self.rows, self.columns = -(-m // block_m), -(-n // block_n)
        sums = [self.sums() for _ in range(self.pick(1, 1, 1, 2))]
        kind = self.random.random()
        self.held = self.shared_operands() if self.chance(0.3) else {}
        if kind < 0.5:
            stages = self.pick(0, 0, 2, 3)
            domain = f"[{self.rows}, {self.columns}], {self.cores}, core"
            head = f"for m, n in T.Persistent({domain}, num_stages={stages}):"
            with self.inside(head):
                self.tile_of(sums)
            return
        with self.inside(f"for m in T.serial(core, {self.rows}, {self.cores}):"):
            loop = self.pick("T.serial({})", "T.Pipelined({}, num_stages=2)", "T.unroll({})")
            with self.inside(f"for n in {loop.format(self.columns)}:"):
                self.tile_of(sums)

    def shared_operands(self) -> dict[str, str]:
        """Tiles of L1 that are loaded before the loops."""
        (block_m, block_n, _), (m, n, k) = self.block, self.size
        self.held: dict[str, str] = {}
        a, b = self.tensor("A", (m, k), self.dtype), self.tensor("B", (n, k), self.dtype)
        return {"a": self.operand(a, block_m, "0", "0", "a"), "b": self.operand(b, block_n, "0", "0", "b")}

    def sums(self) -> Sums:
        c = self.alloc("c", f'T.alloc_l0c({self.block[:2]}, "{self.sum_dtype}")')
        m, n, k = self.size
        pairs = []
        for _ in range(self.pick(1, 1, 2)):
            pairs.append((self.tensor("A", (m, k), self.dtype), self.tensor("B", (n, k), self.dtype)))
        return Sums(c, tuple(pairs))

    def tile_of(self, sums: list[Sums]) -> None:
        guard = self.chance(0.15)
        with self.inside(f"if (m + n) % 2 == {self.pick(0, 1)}:") if guard else nullcontext():
            together = len(sums) == 2 and self.chance(0.5)
            if together:
                self.products(sums)
            else:
                for one in sums:
                    self.products([one])
                    self.store(one)
            if together:
                for one in sums:
                    self.store(one)

    def store(self, sums: Sums) -> None:
        dtypes = ["int32"] if self.sum_dtype == "int32" else ["float32", "float32", "float16", "bfloat16"]
        for _ in range(self.pick(1, 1, 2)):
            out = self.tensor("C", self.size[:2], self.random.choice(dtypes), output=True)
            at = f"m * {self.block[0]}, n * {self.block[1]}"
            self.line(f"T.copy({sums.name}, {out.name}[{at}])")

    # --- loops along K ------------------------------------------------------------------------------------------------

    def products(self, sums: list[Sums]) -> None:
        kind = self.random.random()
        if kind < 0.65:
            with self.inside(f"for k in {self.k_loop(self.k_trips)}:"):
                self.step(sums, "k", "k == 0")
        elif kind < 0.85:
            # The first part outside of the loop, which may be empty.
            self.step(sums, "0", "True")
            trips = -(-self.size[2] // self.block[2])
            with self.inside(f"for k in {self.k_loop(f'1, {trips}')}:"):
                self.step(sums, "k", "False")
        else:
            # A number of parts that the call says.
            self.step(sums, "0", "True")
            with self.inside(f"for k in {self.k_loop(self.scalar(self.pick(0, 1, 2, 3)))}:"):
                self.step(sums, "k", "False")

    def k_loop(self, trips: str) -> str:
        kind = self.random.random()
        return f"T.serial({trips})" if kind < 0.25 else f"T.Pipelined({trips}, num_stages={self.pick(1, 2, 2, 3)})"

    def step(self, sums: list[Sums], k: str, first: str) -> None:
        guarded = first == "False" and self.chance(0.15)
        with self.inside(f"if {k} % 2 == {self.pick(0, 1)}:") if guarded else nullcontext():
            for one in sums:
                for i, (a, b) in enumerate(one.pairs):
                    self.product(one.name, a, b, k, first if i == 0 else "False")

    def operand(self, tensor: Tensor, rows: int, row: str, k: str, space: str) -> str:
        """A tile in L1 with a block of the tensor, or one that all iterations share."""
        if self.held and self.chance(0.15):
            return self.held[space]
        name = self.alloc(space, f'T.alloc_l1(({rows}, {self.block[2]}), "{self.dtype}")')
        upper = rows // 32 * 16
        if upper and self.chance(0.1):
            self.load(tensor, name, (row, rows, 0, upper), k)
            self.load(tensor, name, (row, rows, upper, rows), k)
        else:
            self.load(tensor, name, (row, rows, 0, rows), k)
        return name

    def load(self, tensor: Tensor, name: str, part: tuple, k: str) -> None:
        """Rows of a block to the same rows of a tile."""
        (row, rows, begin, end), depth = part, self.block[2]
        if (begin, end) == (0, rows):
            self.line(f"T.copy({tensor.name}[{row} * {rows}, {k} * {depth}], {name})")
            return
        source = f"{row} * {rows} + {begin} : {row} * {rows} + {end}, {k} * {depth} : {k} * {depth} + {depth}"
        self.line(f"T.copy({tensor.name}[{source}], {name}[{begin}:{end}, 0:{depth}])")

    def product(self, c: str, a: Tensor, b: Tensor, k: str, first: str) -> None:
        block_m, block_n, _ = self.block
        if self.chance(0.3):
            left, turned_a = self.in_l0(a, block_m, "m", k, "a")
            right, turned_b = self.in_l0(b, block_n, "n", k, "b")
        else:
            left, right = self.operand(a, block_m, "m", k, "a"), self.operand(b, block_n, "n", k, "b")
            turned_a = turned_b = False
        ways = f"transpose_A={turned_a}, transpose_B={not turned_b}"
        self.line(f"T.gemm({left}, {right}, {c}, {ways}, clear_accum={first})")
        if self.chance(0.1):
            self.line(f"T.gemm({left}, {right}, {c}, {ways})")

    def in_l0(self, tensor: Tensor, rows: int, row: str, k: str, side: str) -> tuple[str, bool]:
        """An operand in L0, and whether it lies there the other way round. Its tile in L1 and its copy may turn it."""
        # Blocks of 32 by 32 bytes are transposed.
        turns = self.dtype != "int8" or rows % 32 == 0
        turned, shape = turns and self.chance(0.3), (rows, self.block[2])
        if turned:
            shape = shape[::-1]
            tile = self.alloc(side, f'T.alloc_l1({shape}, "{self.dtype}")')
            self.line(f"T.copy({tensor.name}[{row} * {rows}, {k} * {self.block[2]}], {tile}, transpose=True)")
        else:
            tile = self.operand(tensor, rows, row, k, side)
        transposes = turns and self.chance(0.4)
        out = self.alloc(f"l0{side}", f'T.alloc_l0{side}({shape[::-1] if transposes else shape}, "{self.dtype}")')
        self.line(f"T.copy({tile}, {out}{', transpose=True' if transposes else ''})")
        return out, turned != transposes


def cube_program(seed: int) -> Program:
    return CubeProgram(random.Random(seed)).make()
