"""Runs benchmarks: `./dev bench [--device host|cuda] [name ...]`, those whose names hold one of the given words."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser("benchmarks", description=__doc__)
    parser.add_argument("--device", choices=("host", "cuda"), default="host")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds that one case on a CUDA device may take")
    parser.add_argument("--passes", type=int, default=1, help="how often the CUDA cases are run, one after the other")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # what each process of the CUDA benchmarks runs
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    if chosen.device == "host":
        from benchmarks.host import table

        table.main(chosen.names)
        return 0
    from benchmarks.cuda import runner

    if chosen.case is not None:
        return runner.run_here(chosen.case)
    return runner.run_all(chosen.names, chosen.limit, chosen.passes)


if __name__ == "__main__":
    sys.exit(main())
