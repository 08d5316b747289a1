"""`tvm.ir`: modules of functions, and equality of functions."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["IRModule", "assert_structural_equal", "structural_equal"]


class IRModule:
    """Functions by name."""

    def __init__(self, functions: Mapping | None = None, attrs: Mapping | None = None):
        self.functions = dict(functions or {})
        self.attrs = dict(attrs or {})

    @staticmethod
    def from_expr(function) -> IRModule:
        """A module with one function, under its own name."""
        return IRModule({function.name: function})

    def __getitem__(self, name: str):
        return self.functions[str(name)]

    def items(self):
        return self.functions.items()

    def script(self) -> str:
        return "\n".join(function.script() for function in self.functions.values())

    def __repr__(self) -> str:
        return self.script()


def structural_equal(lhs, rhs, map_free_vars: bool = False) -> bool:
    """Whether two functions or modules have the same text, wherever they stand in the source."""
    if isinstance(lhs, IRModule) and isinstance(rhs, IRModule):
        return lhs.functions.keys() == rhs.functions.keys() and all(
            structural_equal(f, rhs[name]) for name, f in lhs.items()
        )
    if hasattr(lhs, "script") and hasattr(rhs, "script"):
        return lhs.script() == rhs.script()
    return str(lhs) == str(rhs)


def assert_structural_equal(lhs, rhs, map_free_vars: bool = False) -> None:
    """Raises `ValueError` where `structural_equal` is false."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"StructuralEqual check failed:\n{lhs}\n--- differs from ---\n{rhs}")
