"""Texts of random programs: lines, the names in scope, and the tensors that a program is called with."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field

HEAD = "import tilelang.ascend.language as T\n"


@dataclass(frozen=True)
class Tensor:
    """A parameter: the extents as they are declared, and those of the call."""

    name: str
    declared: tuple
    shape: tuple
    dtype: str
    output: bool = False


@dataclass
class Program:
    """A program's text, and what its function is called with: tensors and integers, in the order of its parameters."""

    text: str
    tensors: list[Tensor]
    scalars: dict[str, int]


@dataclass
class Writer:
    """Collects the lines of one function."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    names: int = 0
    tensors: list[Tensor] = field(default_factory=list)
    scalars: dict[str, int] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def inside(self, head: str):
        """A compound statement; one that gets no body passes."""
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def extent(self, value: int, dynamic: float) -> tuple[str, int]:
        """An extent of a tensor: a number, or a symbol that has this value in the call."""
        if not self.chance(dynamic):
            return str(value), value
        for name, known in self.symbols.items():
            if known == value:
                return name, value
        name = f"n{len(self.symbols)}"
        self.symbols[name] = value
        return name, value

    def tensor(self, prefix: str, extents: tuple, dtype: str, dynamic: float = 0.3, output: bool = False) -> Tensor:
        pairs = [self.extent(value, dynamic) for value in extents]
        tensor = Tensor(
            f"{prefix}{len(self.tensors)}", tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), dtype, output
        )
        self.tensors.append(tensor)
        return tensor

    def scalar(self, value: int) -> str:
        name = f"m{len(self.scalars)}"
        self.scalars[name] = value
        return name

    def program(self) -> Program:
        parameters = [f'{t.name}: T.Tensor(({", ".join(t.declared)},), "{t.dtype}")' for t in self.tensors]
        parameters += [f"{name}: T.int32" for name in self.scalars]
        symbols = "".join(f'{name} = T.dynamic("{name}")\n' for name in self.symbols)
        head = "@T.prim_func\ndef program(\n" + "".join(f"    {p},\n" for p in parameters) + "):\n"
        text = HEAD + "\n" + symbols + "\n\n" + head + "\n".join(self.lines) + "\n"
        return Program(text, list(self.tensors), dict(self.scalars))
