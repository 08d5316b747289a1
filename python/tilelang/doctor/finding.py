"""One line of the doctor's report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Finding", "Status", "Trouble", "checked"]


class Status(Enum):
    """`ABSENT` is what this machine does not have and need not have; `SKIPPED` could not be tried."""

    WORKS = "works"
    ABSENT = "not here"
    SKIPPED = "not tried"
    FAILS = "FAILS"


class Trouble(Exception):
    """Ends a check: what was found, and the remedy."""

    def __init__(self, found: str, remedy: str, status: Status = Status.FAILS):
        super().__init__(found)
        self.found, self.remedy, self.status = found, remedy, status


@dataclass(frozen=True)
class Finding:
    """What a check of `what` has found, and the remedy where there is something to do."""

    what: str
    status: Status
    found: str
    remedy: str = ""


def checked(what: str, check: Callable[[], str], remedy: str) -> Finding:
    """What `check` gives, which returns what it found or raises; `remedy` is for errors that bring none."""
    try:
        return Finding(what, Status.WORKS, check())
    except Trouble as trouble:
        return Finding(what, trouble.status, trouble.found, trouble.remedy)
    except Exception as error:
        lines = str(error).strip().splitlines()
        return Finding(what, Status.FAILS, lines[0] if lines else type(error).__name__, remedy)
