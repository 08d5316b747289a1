"""The doctor's report as a table."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

from .finding import Finding, Status
from .host import host_findings

__all__ = ["doctor", "findings"]

_STYLES = {Status.WORKS: "green", Status.ABSENT: "dim", Status.SKIPPED: "yellow", Status.FAILS: "bold red"}
_UNLIMITED = 10_000


def findings() -> Iterator[Finding]:
    """All findings, in the order in which one builds on another."""
    library_loads = True
    for finding in host_findings():
        library_loads &= not (finding.what == "import" and finding.status is Status.FAILS)
        yield finding
    if library_loads:
        from .devices import ascend_findings, cuda_findings

        yield from cuda_findings()
        yield from ascend_findings()


def doctor() -> int:
    """Prints a line a check; the exit status is 1 where something fails that should work."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    logging.getLogger("tilelang").setLevel(logging.ERROR)
    table = Table(title="tilelang doctor", box=None, title_justify="left")
    for column in ("", "", "found", "remedy"):
        table.add_column(column, overflow="fold")
    found = list(findings())
    for finding in found:
        status = Text(finding.status.value, _STYLES[finding.status])
        table.add_row(finding.what, status, Text(finding.found), Text(finding.remedy))
    # In a file or pipe a check is one line, however long.
    console = Console() if sys.stdout.isatty() else Console(width=_UNLIMITED)
    console.print(table, width=console.measure(table).maximum)
    failed = [finding.what for finding in found if finding.status is Status.FAILS]
    console.print(f"{len(failed)} failing: {', '.join(failed)}" if failed else "everything that should work here does")
    return 1 if failed else 0
