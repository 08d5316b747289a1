"""Quotients by a divisor that a thread's registers share, against IEEE division."""

import numpy as np
import pytest
import tilelang
import tilelang.language as T

torch = pytest.importorskip("torch")

COLUMNS = 1024

# Below this a quotient may be off by two units in the last place.
EXACT_FROM = 2.0**-86


def quotients(rows):
    @T.prim_func
    def main(
        X: T.Tensor((rows, COLUMNS), "float32"),
        D: T.Tensor((rows,), "float32"),
        Y: T.Tensor((rows, COLUMNS), "float32"),
    ):
        with T.Kernel(rows, threads=128) as bx:
            x = T.alloc_fragment((COLUMNS,), "float32")
            T.copy(X[bx, 0], x)
            for j in T.Parallel(COLUMNS):
                x[j] /= D[bx]
            T.copy(x, Y[bx, 0])

    return main


def random_floats(random, count, exponents):
    """Any mantissa and sign, exponents of a range; the ends of mantissas more often."""
    mantissa = random.integers(0, 1 << 23, count)
    ends = random.random(count)
    mantissa = np.where(ends < 0.2, mantissa & 7, np.where(ends < 0.4, mantissa | 0x7FFFF8, mantissa))
    exponent = random.integers(exponents[0] + 127, exponents[1] + 128, count)
    sign = random.integers(0, 2, count)
    return (sign << 31 | exponent << 23 | mantissa).astype(np.uint32).view(np.float32)


def special():
    big = np.finfo(np.float32).max
    return np.array([0, -0.0, np.inf, -np.inf, np.nan, big, -big, 1, -1, 2.0**-149, 2.0**-126, 3], np.float32)


@pytest.mark.parametrize("exponents", [(-126, 127), (-20, 20), (0, 3)])
def test_equal_ieee_division(exponents):
    random = np.random.default_rng()
    rows = 4096
    divisors = np.abs(random_floats(random, rows, exponents))
    divisors[: len(special())] = special()
    divisors[64:128] *= -1
    x = np.stack([random_floats(random, COLUMNS, (-86, 127)) for _ in range(rows)])
    # Quotients next to the middle of two floats, and next to the largest.
    with np.errstate(all="ignore"):
        middle = (random.integers(1 << 23, 1 << 24, (rows, 256)) + 0.5) * divisors[:, None].astype(np.float64)
        middle = np.ldexp(middle, random.integers(-60, 60, (rows, 256))).astype(np.float32)
        x[:, :256] = np.where(np.abs(middle) >= EXACT_FROM, middle, np.float32(1))
        x[:, 256:260] = np.finfo(np.float32).max * divisors[:, None]
        x[:, 300 : 300 + len(special())] = special()
        x[np.isfinite(x) & (np.abs(x) < EXACT_FROM)] = 0
        expected = x / divisors[:, None]
    kernel = tilelang.compile(quotients(rows), target="cuda")
    assert "divide_all" in kernel.get_kernel_source()
    y = torch.full((rows, COLUMNS), float("nan"), device="cuda")
    kernel(torch.from_numpy(x).cuda(), torch.from_numpy(divisors).cuda(), y)
    found = y.cpu().numpy()
    same = (found.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(found) & np.isnan(expected))
    bad = np.argwhere(~same)[:5]
    assert same.all(), [(x[i, j], divisors[i], found[i, j], expected[i, j]) for i, j in bad]


def test_small_numerators_are_near():
    random = np.random.default_rng()
    rows = 1024
    divisors = np.abs(random_floats(random, rows, (-60, 60)))
    x = np.stack([random_floats(random, COLUMNS, (-127, -86)) for _ in range(rows)])
    y = torch.empty((rows, COLUMNS), device="cuda")
    tilelang.compile(quotients(rows), target="cuda")(torch.from_numpy(x).cuda(), torch.from_numpy(divisors).cuda(), y)
    expected = x / divisors[:, None]
    off = np.abs(y.cpu().numpy().view(np.int32).astype(np.int64) - expected.view(np.int32))
    assert off.max() <= 2
