"""`python -m tilelang doctor` and `python -m tilelang --version`."""

from __future__ import annotations

import argparse
import sys

from ._version import __version__


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; the exit status is 0 where all that should work does, else 1."""
    parser = argparse.ArgumentParser("python -m tilelang")
    parser.add_argument("--version", action="version", version=f"tilelang {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("doctor", help="checks the installation and the machine, and says what to do about what fails")
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 2
    from .doctor import doctor

    return doctor()


if __name__ == "__main__":
    sys.exit(main())
