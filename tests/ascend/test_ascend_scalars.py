"""Scalar code of a core, and the elementary functions of its threads, against what they mean."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T

RANDOM = np.random.default_rng(950)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float16", "bfloat16"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 65519.0, 65520.0, 3e38, -3e38, 1e-40]
LIMITS = [float(s * 2**p + d) for s, p, d in itertools.product((1, -1), (7, 8, 15, 16, 31, 32, 63, 64), (-1, 0, 1))]


def numpy_of(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def edge_values(dtype: str, random: int = 40) -> np.ndarray:
    """What is special in a dtype, and random bits."""
    own = numpy_of(dtype)
    bits = RANDOM.integers(0, 256, random * own.itemsize, dtype=np.uint8).view(own)
    if dtype == "bool":
        return np.array([False, True] * 8)
    if dtype in INTEGERS:
        info = np.iinfo(own)
        near = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, info.max, info.max - 1, info.min, info.min + 1]
        # Halfway between neighbours of float32, float16 and bfloat16, and beside.
        halfway = [
            sum(1 << p for p in powers) + d for powers in ((24, 0), (30, 6), (40, 16, 3), (62, 54)) for d in (-1, 0, 1)
        ]
        more = [v for v in near + [-1, -2] + halfway if info.min <= v <= info.max]
        return np.concatenate([np.array(more, own), bits])
    with np.errstate(all="ignore"):
        return np.concatenate([np.array(SPECIAL + LIMITS, np.float32).astype(own), bits])


def left_by(program, target: str, *arguments) -> list[np.ndarray]:
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    tilelang.compile(program, target=target)(*own)
    return [a for a in own if isinstance(a, np.ndarray)]


def same_bits(program, *arguments) -> None:
    """Both leave the same bits in all arrays, but for those of a NaN."""
    results = [left_by(program, target, *arguments) for target in ("interpret", "ascend")]
    for n, (expected, found) in enumerate(zip(*results)):
        words = f"u{expected.dtype.itemsize}"
        equal = (expected.view(words) == found.view(words)) | ((expected != expected) & (found != found))
        at = np.argwhere(~equal)
        assert at.size == 0, f"array {n} at {at[:4].tolist()}: {found[~equal][:4]}, but it means {expected[~equal][:4]}"


@pytest.mark.parametrize("source", ["bool", *INTEGERS, *FLOATS])
def test_a_core_converts_between_all_types(source: str) -> None:
    given = edge_values(source)
    n = len(given)

    @T.prim_func
    def casts(
        A: T.Tensor((n,), source),
        B0: T.Tensor((n,), "bool"),
        B1: T.Tensor((n,), "int8"),
        B2: T.Tensor((n,), "int16"),
        B3: T.Tensor((n,), "int32"),
        B4: T.Tensor((n,), "int64"),
        B5: T.Tensor((n,), "uint8"),
        B6: T.Tensor((n,), "uint16"),
        B7: T.Tensor((n,), "uint32"),
        B8: T.Tensor((n,), "uint64"),
        B9: T.Tensor((n,), "float32"),
        B10: T.Tensor((n,), "float16"),
        B11: T.Tensor((n,), "bfloat16"),
    ):
        with T.Kernel(1):
            a = T.alloc_shared((n,), source)
            T.copy(A, a)
            for i in T.serial(n):
                B0[i] = T.cast(a[i], "bool")
                B1[i] = T.cast(a[i], "int8")
                B2[i] = T.cast(a[i], "int16")
                B3[i] = T.cast(A[i], "int32")
                B4[i] = T.cast(a[i], "int64")
                B5[i] = T.cast(a[i], "uint8")
                B6[i] = T.cast(a[i], "uint16")
                B7[i] = T.cast(a[i], "uint32")
                B8[i] = T.cast(A[i], "uint64")
                B9[i] = T.cast(a[i], "float32")
                B10[i] = T.cast(a[i], "float16")
                B11[i] = T.cast(a[i], "bfloat16")

    same_bits(casts, given, *[np.zeros(n, numpy_of(t)) for t in ["bool", *INTEGERS, *FLOATS]])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_a_core_shifts_counts_bits_and_divides(dtype: str) -> None:
    given = edge_values(dtype)
    n, other = len(given), RANDOM.permutation(given)

    @T.prim_func
    def integers(
        A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((11, n), dtype), D: T.Tensor((n,), "int32")
    ):
        with T.Kernel(1):
            for i in T.serial(n):
                C[0, i] = A[i] << B[i]
                C[1, i] = A[i] >> B[i]
                C[2, i] = T.abs(A[i])
                C[3, i] = T.popcount(A[i])
                C[4, i] = T.min(A[i], B[i])
                C[5, i] = T.max(A[i], B[i])
                D[i] = T.clz(A[i])
                if B[i] != 0:
                    C[6, i] = A[i] // B[i]
                    C[7, i] = A[i] % B[i]
                    C[8, i] = T.truncdiv(A[i], B[i])
                    C[9, i] = T.truncmod(A[i], B[i])
                C[10, i] = T.cast(A[i] << (B[i] & 3), dtype)

    same_bits(integers, given, other, np.zeros((11, n), dtype), np.zeros(n, np.int32))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_core_computes_in_floats(dtype: str) -> None:
    values = edge_values(dtype, 20)
    pairs = np.array(list(itertools.product(values[:14], repeat=2)), numpy_of(dtype))
    given, other = np.concatenate([pairs, np.stack([values, RANDOM.permutation(values)], axis=1)]).T.copy()
    n = len(given)

    @T.prim_func
    def floats(
        A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((6, n), dtype), D: T.Tensor((n,), "bool")
    ):
        with T.Kernel(1):
            largest = T.alloc_var(dtype, init=0)
            for i in T.serial(n):
                C[0, i] = T.min(A[i], B[i])
                C[1, i] = T.max(A[i], B[i])
                C[2, i] = T.abs(A[i])
                C[3, i] = T.if_then_else(A[i] < B[i], -A[i], A[i])
                C[4, i] = T.clamp(A[i], T.cast(-2.0, dtype), T.cast(2.0, dtype))
                D[i] = A[i] <= B[i]
                if A[i] == A[i]:
                    largest = T.max(largest, A[i])
            C[5, 0] = largest

    same_bits(floats, given, other, np.zeros((6, n), numpy_of(dtype)), np.zeros(n, bool))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64"])
def test_constants_without_a_literal(dtype: str) -> None:
    extreme = -(2**63) if dtype == "int64" else -np.inf

    @T.prim_func
    def constants(A: T.Tensor((2,), dtype)):
        with T.Kernel(1):
            A[0] = extreme
            with T.SimtVF(threads=32):
                for i in T.Parallel(1):
                    A[1 + i] = extreme

    same_bits(constants, np.zeros(2, numpy_of(dtype)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_threads_take_halves_of_their_core(dtype: str) -> None:
    @T.prim_func
    def scaled(A: T.Tensor((70,), dtype), B: T.Tensor((70,), dtype), s: T.float32):
        with T.Kernel(1):
            a = T.alloc_shared((70,), dtype)
            factor = T.alloc_var(dtype, init=0)
            T.copy(A, a)
            factor = T.max(a[3], T.cast(s, dtype))
            with T.SimtVF(threads=32):
                for i in T.Parallel(70):
                    a[i] = a[i] * factor + B[i]
            T.copy(a, B)

    given = RANDOM.integers(-8, 9, (2, 70)).astype(numpy_of(dtype))
    same_bits(scaled, given[0].copy(), given[1].copy(), 3.0)


def test_an_array_of_the_core() -> None:
    @T.prim_func
    def histogram(A: T.Tensor((3, 64), "int32"), B: T.Tensor((3, 5), "int32"), C: T.Tensor((5,), "float16")):
        with T.Kernel(1):
            counts = T.alloc_local((5,), "int32")
            shares = T.alloc_local((5,), "float16")
            for row in T.serial(3):
                for k in T.serial(5):
                    counts[k] = 0
                for i in T.serial(64):
                    counts[A[row, i]] += 1
                for k in T.serial(5):
                    B[row, k] = counts[4 - k]
            for k in T.serial(5):
                shares[k] = T.cast(counts[k], "float16") / T.cast(64, "float16")
            for k in T.serial(5):
                C[k] = shares[k]

    same_bits(
        histogram, RANDOM.integers(0, 5, (3, 64)).astype(np.int32), np.zeros((3, 5), np.int32), np.zeros(5, np.float16)
    )


def test_an_array_of_the_core_says_where_tiles_are() -> None:
    @T.prim_func
    def gather(A: T.Tensor((8, 48), "float32"), I: T.Tensor((6,), "int32"), B: T.Tensor((6, 48), "float32")):
        with T.Kernel(2) as bx:
            rows, tile = T.alloc_local((6,), "int32"), T.alloc_shared((48,), "float32")
            last = T.alloc_local((2, 2), "int32")
            last[1, 0] = 0
            for k in T.serial(6):
                rows[5 - k] = I[k]
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[rows[2 * k + bx], 0], tile)
                factor = T.cast(rows[2 * k + bx] + last[1, 0], "float32")
                with T.SimtVF(threads=48):
                    for i in T.Parallel(48):
                        tile[i] *= factor
                last[1, 0] = rows[k]
                T.copy(tile, B[2 * k + bx, 0])

    a = RANDOM.integers(-8, 9, (8, 48)).astype(np.float32)
    same_bits(gather, a, RANDOM.permutation(8)[:6].astype(np.int32), np.zeros((6, 48), np.float32))


# Of each function: arguments beyond the edge values, and how many units in the last place the language allows.
FUNCTIONS_1 = {"asinh": 3, "acosh": 3, "atanh": 3, "floor": 0, "ceil": 0, "trunc": 0, "round": 0, "sqrt": 0}
FUNCTIONS_2 = {
    "atan2": 2,
    "hypot": 2,
    "fmod": 0,
    "copysign": 0,
    "nextafter": 0,
    "floordiv": 0,
    "floormod": 0,
    "ldexp": 0,
}


def steps_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many numbers of their dtype lie between."""

    def place(x: np.ndarray) -> np.ndarray:
        word = x.view(f"i{x.dtype.itemsize}").astype(np.int64)
        return np.where(word < 0, -(word & (2 ** (8 * x.dtype.itemsize - 1) - 1)), word)

    both_nan = (a != a) & (b != b)
    return np.where(both_nan, 0, np.abs(place(a) - place(b)))


def close(program, ulp: int, *arguments) -> None:
    *_, expected = left_by(program, "interpret", *arguments)
    *_, found = left_by(program, "ascend", *arguments)
    steps = steps_between(expected, found)
    worst = int(np.argmax(steps))
    of = [a.ravel()[worst] for a in arguments[:-1]]
    assert steps.max() <= ulp, f"of {of}: {found[worst]}, but it means {expected[worst]}"


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS_1)
def test_threads_have_functions_of_one_number(name: str, dtype: str) -> None:
    function = getattr(T, name)
    plain = np.concatenate([RANDOM.uniform(-1, 1, 400), RANDOM.uniform(1, 4, 400), 10 ** RANDOM.uniform(-6, 30, 400)])
    with np.errstate(all="ignore"):
        given = np.concatenate([edge_values(dtype, 400), plain.astype(np.float32).astype(numpy_of(dtype))])
    n = len(given)

    @T.prim_func
    def of_each(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(1), T.SimtVF(threads=128):
            for i in T.Parallel(n):
                B[i] = function(A[i])

    close(of_each, FUNCTIONS_1[name] if dtype == "float32" else min(FUNCTIONS_1[name], 1), given, np.zeros_like(given))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS_2)
def test_threads_have_functions_of_two_numbers(name: str, dtype: str) -> None:
    values = edge_values(dtype, 300)
    special = np.array(list(itertools.product(values[:16], repeat=2)), values.dtype).T
    with np.errstate(all="ignore"):
        plain = RANDOM.uniform(-40, 40, (2, 600)).astype(np.float32).astype(values.dtype)
    given, other = np.concatenate([special, np.stack([values, RANDOM.permutation(values)]), plain], axis=1)
    given, other, n = given.copy(), other.copy(), given.size
    if name == "ldexp":
        other = RANDOM.integers(-300, 301, n).astype(np.int32)
    second = "int32" if name == "ldexp" else dtype
    function = {"floordiv": lambda x, y: x // y, "floormod": lambda x, y: x % y}.get(name) or getattr(T, name)

    @T.prim_func
    def of_each(A: T.Tensor((n,), dtype), B: T.Tensor((n,), second), C: T.Tensor((n,), dtype)):
        with T.Kernel(1), T.SimtVF(threads=128):
            for i in T.Parallel(n):
                C[i] = function(A[i], B[i])

    close(
        of_each,
        FUNCTIONS_2[name] if dtype == "float32" else min(FUNCTIONS_2[name], 1),
        given,
        other,
        np.zeros_like(given),
    )


def test_a_core_and_its_threads_print(capfd: pytest.CaptureFixture[str]) -> None:
    @T.prim_func
    def talk(A: T.Tensor((3,), "float16"), n: T.int32):
        with T.Kernel(2) as bx:
            a, big = T.alloc_shared((3,), "float16"), T.alloc_var("int64", init=2**40)
            T.copy(A, a)
            if bx == 1:
                T.print(n * 2, msg="100% of n")
                T.print(big)
                T.print(a[2] > 1)
                T.print(a, msg="a")
                with T.SimtVF(threads=32):
                    x = T.get_thread_binding(0)
                    if x == 3:
                        T.print(msg="here")
                        T.print(a[1])

    kernel = tilelang.compile(talk, target="ascend")
    kernel(np.array([0.5, -1.5, 2.0], np.float16), 7)
    assert capfd.readouterr().out.splitlines() == [
        "100% of n: BlockIdx=1: n * 2=14",
        "expr<big[0]>: BlockIdx=1: big[0]=1099511627776",
        "expr<a[2] > 1.0>: BlockIdx=1: a[2] > 1.0:float16=true",
        "a: BlockIdx=1: a[0]=0.500000",
        "a: BlockIdx=1: a[1]=-1.500000",
        "a: BlockIdx=1: a[2]=2.000000",
        "here: BlockIdx=1, ThreadIdx=3",
        "expr<a[1]>: BlockIdx=1, ThreadIdx=3: a[1]=-1.500000",
    ]
    source = kernel.get_kernel_source()
    assert "#include <utils/debug/asc_printf.h>" in source
