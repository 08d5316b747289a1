"""Derives the polynomial coefficients and the reduction table of the math_*.h headers.

Each fit minimises the largest weighted error over an interval by Lawson's iteratively reweighted least squares on
Chebyshev nodes (C. L. Lawson, 1961), in 50-digit arithmetic. Coefficients are rounded to the working precision from the
lowest power up, refitting the remaining ones after each rounding. Run it with mpmath installed; it prints C++ literals.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 50


def round_to(value: mp.mpf, double: bool) -> mp.mpf:
    number = float(value)
    return mp.mpf(number if double else struct.unpack("f", struct.pack("f", number))[0])


def literal(value: mp.mpf) -> str:
    """A C++17 hexadecimal floating literal without trailing zeros."""
    return re.sub(r"\.?0*p", "p", float(value).hex())


def solve(nodes, target, weight, powers):
    """Lawson iteration: coefficients of sum c_p x**p that minimise max |weight * (target - sum)|."""
    lawson = [mp.mpf(1)] * len(nodes)
    for _ in range(25):
        rows = [[mp.sqrt(w) * wt * x**p for p in powers] for x, w, wt in zip(nodes, lawson, weight)]
        right = [mp.sqrt(w) * wt * t for t, w, wt in zip(target, lawson, weight)]
        coefficients = mp.lu_solve(mp.matrix(rows), mp.matrix(right))
        errors = [
            abs(wt * (t - sum(c * x**p for c, p in zip(coefficients, powers))))
            for x, t, wt in zip(nodes, target, weight)
        ]
        lawson = [w * e for w, e in zip(lawson, errors)]
        total = sum(lawson)
        lawson = [w / total for w in lawson]
    return list(coefficients), max(errors)


def fit(
    name: str,
    function: Callable,
    low: float,
    high: float,
    powers: list[int],
    fixed: dict[int, float] | None = None,
    double: bool = False,
    weight: Callable | None = None,
) -> None:
    """Prints c_p for function(x) ~ sum fixed + sum c_p x**p; the default weight gives relative error."""
    count = 8 * len(powers) + 20
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    weight = weight or (lambda x: 1 / function(x))
    weights = [weight(x) for x in nodes]
    rest = [function(x) - sum(mp.mpf(c) * x**p for p, c in (fixed or {}).items()) for x in nodes]
    left, rounded, worst = list(powers), {}, None
    while left:
        coefficients, error = solve(nodes, rest, weights, left)
        worst = error if worst is None else worst
        power = left.pop(0)
        rounded[power] = round_to(coefficients[0], double)
        rest = [t - rounded[power] * x**power for t, x in zip(rest, nodes)]
    final = max(abs(w * t) for w, t in zip(weights, rest))
    print(f"// {name}: [{low:.6g}, {high:.6g}], max error {mp.nstr(final, 3)} (unrounded {mp.nstr(worst, 3)})")
    suffix = "" if double else "f"
    print("  " + ", ".join(f"x^{p}: {literal(rounded[p])}{suffix}" for p in powers), flush=True)


def half_log2() -> float:
    return float(mp.log(2) / 2) * 1.0001


def two_over_pi_rows() -> None:
    """Rows (high, low) for exponents 24..127: the part of 2/pi that matters modulo 4 for floats of that exponent."""
    mp.mp.dps = 120
    for exponent in range(24, 128):
        unit = mp.mpf(2) ** (25 - exponent)
        part = (2 / mp.pi) % unit
        grain = unit / 2**29
        high = mp.floor(part / grain) * grain
        print(f"    {{{literal(high)}, {literal(part - high)}}},")
    mp.mp.dps = 50


ROOT = mp.sqrt(2)
FITS: dict[str, Callable[[], None]] = {
    "exp": lambda: fit("exp", mp.exp, -half_log2(), half_log2(), [2, 3, 4, 5, 6], {0: 1, 1: 1}),
    "exp2": lambda: fit("exp2", lambda x: mp.mpf(2) ** x, -0.5001, 0.5001, [1, 2, 3, 4, 5, 6], {0: 1}),
    "exp10": lambda: fit("exp10", lambda x: mp.mpf(10) ** x, -0.1506, 0.1506, [1, 2, 3, 4, 5, 6], {0: 1}),
    "log": lambda: fit("log", mp.log1p, float(1 / ROOT - 1), float(ROOT - 1), list(range(3, 11)), {1: 1, 2: -0.5}),
    "log2": lambda: fit(
        "log2 beyond f/ln2",
        lambda x: mp.log1p(x) / mp.log(2) - x / mp.log(2),
        float(1 / ROOT - 1),
        float(ROOT - 1),
        list(range(2, 11)),
        weight=lambda x: mp.log(2) / mp.log1p(x),
    ),
    "log10": lambda: fit(
        "log10 beyond f/ln10",
        lambda x: (mp.log1p(x) - x) / mp.log(10),
        float(1 / ROOT - 1),
        float(ROOT - 1),
        list(range(2, 11)),
        weight=lambda x: mp.log(10) / mp.log1p(x),
    ),
    "log_wide": lambda: fit("log from s", lambda s: mp.atanh(s), 1e-9, 0.17158, [3, 5, 7, 9, 11, 13], {1: 1}, True),
    "exp2_wide": lambda: fit("exp2 double", lambda x: mp.mpf(2) ** x, -0.5001, 0.5001, list(range(1, 9)), {0: 1}, True),
    "tanh": lambda: fit("tanh", mp.tanh, 1e-4, 0.625, [3, 5, 7, 9, 11], {1: 1}),
    "sinh": lambda: fit("sinh", mp.sinh, 1e-4, 1.0, [3, 5, 7, 9], {1: 1}),
    "sin": lambda: fit("sin", mp.sin, 1e-4, 0.7854, [3, 5, 7, 9], {1: 1}),
    "cos": lambda: fit("cos", mp.cos, 0, 0.7854, [4, 6, 8], {0: 1, 2: -0.5}),
    "tan": lambda: fit("tan", mp.tan, 1e-4, 0.7854, list(range(3, 22, 2)), {1: 1}, True),
    "asin": lambda: fit("asin", mp.asin, 1e-4, 0.6, [3, 5, 7, 9, 11, 13], {1: 1}),
    "atan": lambda: fit("atan", mp.atan, 1e-4, 1.0, list(range(3, 20, 2)), {1: 1}),
    "erf": lambda: fit("erf", mp.erf, 1e-4, 1.0, [1, 3, 5, 7, 9, 11, 13], {1: 1}),
    "erfc": lambda: fit(
        "-log(erfc)", lambda x: -mp.log(mp.erfc(x)), 0.99, 3.95, list(range(9)), weight=lambda x: mp.erfc(x)
    ),
    "two_over_pi": two_over_pi_rows,
}

if __name__ == "__main__":
    for key in sys.argv[1:] or FITS:
        FITS[key]()
