"""Options of copies and products that say how an engine works, not what it computes."""

from __future__ import annotations

from tilelang.frontend.state import fail, warn
from tilelang.language.expr import PrimExpr, operand

# Cache policies of global memory: numbers by name, and the largest number, of loads and of stores. Numbers from 8 on
# have no names here.
_BOTH = {"NORMAL_FV": 0, "NORMAL_LV": 1, "NORMAL_PERS": 2}
_LOADS = {**_BOTH, "NORMAL_PREF": 3, "NOTALLOC_KEEP": 4, "NOTALLOC_CLEAN": 5, "NOTALLOC_DROP": 6, "INVALID": 16}
_STORES = {**_BOTH, "NORMAL_RED": 3, "NOTALLOC_CI": 4, "NOTALLOC_PW": 5, "NOTALLOC_PI": 6, "NOTALLOC_RED": 7}
_LARGEST_LOAD, _LARGEST_STORE = 16, 15

# What a product and the copy of its sums say about the sums: 0 nothing, 2 that more are to come, 3 that they are whole.
_UNIT_FLAGS = (0, 2, 3)


def cache_control(given: int | str, is_load: bool) -> int:
    """The number of a cache policy, given as a number or by name: in any case, perhaps with a prefix before it.

    Raises `ValueError` for one that does not exist.
    """
    known, largest = (_LOADS, _LARGEST_LOAD) if is_load else (_STORES, _LARGEST_STORE)
    kind = "loads" if is_load else "stores"
    if isinstance(given, str):
        word = given.upper()
        for name, number in known.items():
            if word == name or word.endswith("_" + name):
                return number
        fail(
            ValueError,
            45,
            f"T.copy: l2_cache_ctrl `{given}` is no cache policy of {kind}",
            help=f"use one of {', '.join(known)}, or a number up to {largest}",
        )
    number = constant_or_none(given)
    if number is None or not 0 <= number <= largest:
        fail(
            ValueError,
            45,
            f"T.copy: l2_cache_ctrl is `{given}`, but cache policies of {kind} are 0 to {largest}",
            help=f"use a constant, or one of {', '.join(known)}",
        )
    return number


def unit_flag(given: int | PrimExpr, what: str) -> int | None:
    """The constant unit flag; None, with a warning, for one known only at run time.

    Raises `ValueError` for a number that is none.
    """
    number = constant_or_none(given)
    if number is None:
        warn(88, f"{what}: unit_flag_ctrl `{given}` is known only at run time and ignored: the compiler synchronises")
        return None
    if number not in _UNIT_FLAGS:
        fail(ValueError, 45, f"{what}: unit_flag_ctrl is {number}, but it is 0, 2 or 3", help="leave it out")
    return number


def constant_or_none(given) -> int | None:
    """The value of an int or of a constant integer expression, else None."""
    if isinstance(given, PrimExpr):
        given = getattr(given, "value", None)
    else:
        given = operand(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None
