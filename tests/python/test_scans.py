"""Prefix sums and maxima of tiles."""

import numpy as np
import pytest
import tilelang
import tilelang.language as T


def scanned(rows, columns, threads, kind, dim, reverse, dtype, fragments, in_place):
    scan = {"sum": T.cumsum, "max": T.cummax}[kind]
    alloc = T.alloc_fragment if fragments else T.alloc_shared

    @T.prim_func
    def main(A: T.Tensor((rows, columns), dtype), B: T.Tensor((rows, columns), dtype)):
        with T.Kernel(1, threads=threads):
            source = alloc((rows, columns), dtype)
            T.copy(A, source)
            if in_place:
                scan(source, dim=dim, reverse=reverse)
                T.copy(source, B)
            else:
                result = alloc((rows, columns), dtype)
                scan(source, result, dim, reverse)
                T.copy(result, B)

    return main


def expected(a, kind, dim, reverse):
    wide = np.flip(a.astype(np.float64), dim) if reverse else a.astype(np.float64)
    out = np.cumsum(wide, dim) if kind == "sum" else np.maximum.accumulate(wide, dim)
    return np.flip(out, dim) if reverse else out


@pytest.mark.parametrize("target", ["interpret", "host"])
@pytest.mark.parametrize(("dtype", "fragments"), [("float32", False), ("float16", True), ("int32", False)])
@pytest.mark.parametrize(("kind", "dim", "reverse"), [("sum", 1, False), ("sum", 0, True), ("max", -1, True)])
def test_prefixes(target, dtype, fragments, kind, dim, reverse):
    random = np.random.default_rng(7)
    for rows, columns, threads, in_place in ((1, 300, 64, True), (5, 17, 32, False), (33, 40, 7, True)):
        numbers = random.integers(-99, 99, (rows, columns))
        a = (numbers if dtype == "int32" else numbers / 8).astype(dtype)
        b = np.zeros_like(a)
        function = scanned(rows, columns, threads, kind, dim, reverse, dtype, fragments, in_place)
        tilelang.compile(function, target=target)(a, b)
        # Sums of halves go on in float32 and are rounded where they are stored.
        assert np.array_equal(b, expected(a, kind, dim, reverse).astype(dtype))


def test_a_nan_stays_in_a_maximum():
    a = np.float32([[1, np.nan, 3, 2]])
    b = np.zeros_like(a)
    tilelang.compile(scanned(1, 4, 4, "max", 1, False, "float32", False, True), target="host")(a, b)
    assert np.array_equal(b, np.float32([[1, np.nan, np.nan, np.nan]]), equal_nan=True)


@pytest.mark.parametrize(
    ("make", "code", "text"),
    [
        (lambda s, t, g: T.cumsum(s, dim=2), 53, "out of bounds"),
        (lambda s, t, g: T.cumsum(s, t), 50, "`s` is (8, 16), but `t` is (16, 8)"),
        (lambda s, t, g: T.cummax(g), 51, "Invalid buffer scopes: `A` is in global memory"),
        (lambda s, t, g: T.cumsum(s[0:4, 0:16], s[4:8, 0:16]), 34, "another part"),
    ],
)
def test_refusals(make, code, text):
    with pytest.raises(ValueError, match=f"TL{code:03}") as caught:

        @T.prim_func
        def main(A: T.Tensor((8, 16), "float32")):
            with T.Kernel(1, threads=32):
                s = T.alloc_shared((8, 16), "float32")
                t = T.alloc_shared((16, 8), "float32")
                T.clear(s)
                make(s, t, A)

    assert text in str(caught.value)
