"""What names hold across the ends of loops, branches and launches.

Tracing runs a loop body once and both branches of an `if`, in one Python scope. So that no value leaks from there, a
name bound inside such a region gets back its old value at the end if that did not change, and else a `Lost` marker:
using it is an error. Inside a loop, a name that the body rebinds holds an `Entry` until then: reading it, and then
rebinding it, would need a value from the iteration before, which a binding cannot carry.
"""

from __future__ import annotations

from tilelang.language.buffer import Buffer, BufferRegion, Ref
from tilelang.language.expr import PrimExpr, is_symbolic

from .state import fail


class Unbound:
    """What a tracked name holds before its first assignment."""

    __slots__ = ()


class Lost:
    """What a name holds after the region that bound it: why, and where."""

    __slots__ = ("loc", "region", "symbolic")

    def __init__(self, symbolic: bool, region: str, loc: int):
        self.symbolic, self.region, self.loc = symbolic, region, loc


class Entry:
    """The value that a name had before the loop that is being traced and that rebinds it."""

    __slots__ = ("read_at", "value")

    def __init__(self, value):
        self.value = value
        self.read_at: int | None = None


UNBOUND = Unbound()
MARKERS = frozenset((Unbound, Lost, Entry))


def held(value):
    """What an assignment may look at: the value behind an `Entry`, None for the other markers."""
    kind = value.__class__
    if kind not in MARKERS:
        return value
    return value.value if kind is Entry else None


def is_of_region(value) -> bool:
    """Whether a value exists only where it was made: a symbolic expression, or a buffer that is not a tensor."""
    if isinstance(value, Buffer):
        return value.scope() != "global"
    if isinstance(value, BufferRegion):
        return value.buffer.scope() != "global"
    if isinstance(value, (tuple, list)):
        return any(is_of_region(v) for v in value)
    return is_symbolic(value)


def enter_loop(values: tuple) -> tuple:
    """What the names hold while the body is traced."""
    return tuple(v if v.__class__ in MARKERS or isinstance(v, Ref) else Entry(v) for v in values)


def leave_loop(names: tuple, before: tuple, entered: tuple, after: tuple, loc: int) -> tuple:
    """What the names hold after the loop. Raises for a value that one iteration would have to hand to the next."""
    result = []
    for name, old, entry, new in zip(names, before, entered, after, strict=True):
        if new is entry or new is old:
            result.append(old)
            continue
        if entry.__class__ is Entry and entry.read_at is not None and not same_value(old, new):
            fail(
                ValueError,
                6,
                f"`{name}` is rebound in a loop that also reads the value it had before: a name is bound once, "
                "so the next iteration would not see the new value",
                loc=entry.read_at,
                help=f"make it a mutable scalar before the loop: {name} = T.alloc_var(dtype, init={shown(old)})",
            )
        result.append(old if same_value(old, new) else Lost(holds_symbolic(new), "loop", loc))
    return tuple(result)


def leave_branches(before: tuple, outcomes: list[tuple], loc: int) -> tuple:
    """What the names hold after an `if`, from what they held at the end of each traced branch."""
    result = []
    for old, *ends in zip(before, *outcomes, strict=True):
        changed = [end for end in ends if end is not old and not same_value(old, end)]
        result.append(Lost(any(map(holds_symbolic, changed)), "branch", loc) if changed else old)
    return tuple(result)


def leave_launch(before: tuple, after: tuple, loc: int) -> tuple:
    """What the names hold after a launch: Python values stay, values of the launch do not."""
    return tuple(
        new if new is old or not is_of_region(new) else Lost(True, "launch", loc)
        for old, new in zip(before, after, strict=True)
    )


def same_value(old, new) -> bool:
    """Whether rebinding changed nothing: the same object, or equal Python numbers and strings of one type."""
    if old is new:
        return True
    return type(old) is type(new) and isinstance(old, (int, float, str, bool)) and old == new


def holds_symbolic(value) -> bool:
    kind = value.__class__
    return value.symbolic if kind is Lost else isinstance(value, (PrimExpr, Buffer, BufferRegion))


def shown(value) -> str:
    return repr(value) if isinstance(value, (int, float, PrimExpr)) else "..."
