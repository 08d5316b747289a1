"""What CUDA kernels compute, value by value: the arithmetic of src/types/scalar.h on a GPU."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cuda_device
import cuda_toolkit
import numpy as np
import pytest

pytestmark = [
    pytest.mark.skipif(cuda_device.driver() is None, reason="no GPU"),
    pytest.mark.skipif(
        cuda_toolkit.nvrtc() is None and cuda_toolkit.nvcc() is None, reason="neither NVRTC nor nvcc is installed"
    ),
]

THREADS = 256
# bfloat16 is held in uint16.
STORAGE = {"bool": np.bool_, "bfloat16": np.uint16}
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def storage(dtype: str) -> type:
    return STORAGE.get(dtype) or getattr(np, dtype)


def run(tlc: Path, tmp_path: Path, text: str, blocks: int, threads: int, arrays: list[np.ndarray]) -> None:
    (tmp_path / "f.tl").write_text(text)
    command = [tlc, "emit", f"--target={cuda_device.machine()}", tmp_path / "f.tl"]
    source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    cubin, log = cuda_toolkit.compile(source, cuda_device.machine())
    assert cubin, log
    cuda_device.launch(cubin, "f_kernel", blocks, threads, arrays)


def evaluate(tlc: Path, tmp_path: Path, expr: str, inputs: list[np.ndarray], dtypes: list[str], result: str):
    """`expr` of %x, %y, elementwise."""
    count = -(-len(inputs[0]) // THREADS) * THREADS
    # A kernel takes what it uses.
    used = [(v, a, t) for v, a, t in zip(("%x", "%y"), inputs, dtypes) if v in expr]
    params = ", ".join(f"%{v[1]}s: global {t}[{count}]" for v, _, t in [*used, ("%r", None, result)])
    arrays = [np.resize(a, count) for _, a, _ in used] + [np.zeros(count, storage(result))]
    for v, _, _ in used:
        expr = expr.replace(v, f"{v}s[%i]")
    text = f"""func @f params [{params}] {{
  launch [%bx: int32], [{count // THREADS}], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[{THREADS}],
      hints={{"index_bits": 32, "shared_bytes": 0}} {{
    bind %i: int32, %bx * {THREADS} + %tx
    store %rs, [%i], {expr}
  }}
}}"""
    run(tlc, tmp_path, text, count // THREADS, THREADS, arrays)
    return arrays[-1][: len(inputs[0])]


# ---- Integers, against Python's


def width(dtype: str) -> int:
    return np.iinfo(dtype).bits


def wrapped(value: int, dtype: str) -> int:
    value &= (1 << width(dtype)) - 1
    return value - (1 << width(dtype)) if dtype.startswith("int") and value >> (width(dtype) - 1) else value


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shifted_left(a: int, n: int, dtype: str) -> int:
    return a << n if 0 <= n < width(dtype) else 0


def shifted_right(a: int, n: int, dtype: str) -> int:
    return a >> n if 0 <= n < width(dtype) else (-1 if a < 0 else 0)


OPERATIONS = {
    "%x + %y": lambda a, b, t: a + b,
    "%x - %y": lambda a, b, t: a - b,
    "%x * %y": lambda a, b, t: a * b,
    "%x * %y - %x + 7": lambda a, b, t: a * b - a + 7,
    "floordiv(%x, %y)": lambda a, b, t: a // b if b else 0,
    "floormod(%x, %y)": lambda a, b, t: a % b if b else 0,
    "truncdiv(%x, %y)": lambda a, b, t: truncated(a, b) if b else 0,
    "truncmod(%x, %y)": lambda a, b, t: a - truncated(a, b) * b if b else 0,
    "floordiv(%x, 8)": lambda a, b, t: a // 8,
    "floormod(%x, 8)": lambda a, b, t: a % 8,
    "floordiv(%x, 7)": lambda a, b, t: a // 7,
    "%x << %y": shifted_left,
    "%x >> %y": shifted_right,
    "%x << 3": lambda a, b, t: a << 3,
    "%x >> 3": lambda a, b, t: a >> 3,
    "min(%x, %y)": lambda a, b, t: min(a, b),
    "max(%x, %y)": lambda a, b, t: max(a, b),
    "popcount(%x)": lambda a, b, t: bin(a & ((1 << width(t)) - 1)).count("1"),
    "cast(%t, clz(%x))": lambda a, b, t: width(t) - (a & ((1 << width(t)) - 1)).bit_length(),
    "cast(%t, ffs(%x))": lambda a, b, t: (a & -a).bit_length(),
    "abs(%x)": lambda a, b, t: abs(a),
    "-%x": lambda a, b, t: -a,
    "~%x": lambda a, b, t: ~a,
}


def integer_samples(dtype: str, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, info.bits - 1, info.bits, info.bits + 1]
    near = rng.integers(0, 100, count, dtype=dtype)
    wide = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    out = np.where(rng.random(count) < 0.5, near, wide).astype(dtype)
    chosen = rng.random(count) < 0.3
    out[chosen] = rng.choice(np.array(edges, dtype=dtype), int(chosen.sum()))
    return out


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("expr", OPERATIONS)
def test_integers(tlc: Path, tmp_path: Path, expr: str, dtype: str) -> None:
    x, y = integer_samples(dtype, 4096, 1), integer_samples(dtype, 4096, 2)
    text = expr.replace("%t", dtype)
    for number in ("7", "8", "3"):
        text = text.replace(f" {number}", f" {number}:{dtype}")
    found = evaluate(tlc, tmp_path, text, [x, y], [dtype, dtype], dtype)
    wanted = [wrapped(OPERATIONS[expr](int(a), int(b), dtype), dtype) for a, b in zip(x, y)]
    np.testing.assert_array_equal(found, np.array(wanted, dtype))


# ---- Conversions


def float_samples(dtype: str, count: int, seed: int) -> np.ndarray:
    """All patterns are equally likely; every range of exponents that integers have comes up too."""
    rng = np.random.default_rng(seed)
    bits = np.dtype(dtype).itemsize * 8
    any_pattern = rng.integers(0, 2**bits, count, dtype=f"uint{bits}").view(dtype)
    with np.errstate(over="ignore"):
        scaled = (rng.normal(size=count) * 2.0 ** rng.integers(-3, 70, count)).astype(dtype)
    out = np.where(rng.random(count) < 0.5, any_pattern, scaled)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, 127.5, 128, -128, -129, 255.9, 256]
    special += [2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64]
    with np.errstate(over="ignore"):
        out[: len(special)] = np.array(special, dtype)
    return out


def bfloat16_of(x: np.ndarray) -> np.ndarray:
    """float32 to the bits of bfloat16, to nearest even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return np.where(np.isnan(x), 0x7FFF, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def float32_of(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def same_floats(found: np.ndarray, wanted: np.ndarray) -> None:
    """Bit by bit; any NaN equals any NaN."""
    unsigned = f"uint{found.dtype.itemsize * 8}"
    equal = (found.view(unsigned) == wanted.view(unsigned)) | (np.isnan(found) & np.isnan(wanted))
    assert equal.all(), (found[~equal][:5], wanted[~equal][:5])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
def test_floats_become_integers(tlc: Path, tmp_path: Path, source: str, dtype: str) -> None:
    x = float_samples(source, 1 << 14, 3)
    found = evaluate(tlc, tmp_path, f"cast({dtype}, %x)", [x], [source], dtype)
    info = np.iinfo(dtype)

    def converted(value: float) -> int:
        if np.isnan(value):
            return 0
        return int(info.max if value >= info.max else info.min if value <= info.min else int(value))

    np.testing.assert_array_equal(found, np.array([converted(float(v)) for v in x], dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_become_floats(tlc: Path, tmp_path: Path, dtype: str) -> None:
    x = integer_samples(dtype, 1 << 14, 4)
    wanted = x.astype(np.longdouble)
    for result in ("float32", "float64", "float16"):
        with np.errstate(over="ignore"):
            same_floats(evaluate(tlc, tmp_path, f"cast({result}, %x)", [x], [dtype], result), wanted.astype(result))


def test_floats_become_narrow_floats(tlc: Path, tmp_path: Path) -> None:
    x, d = float_samples("float32", 1 << 16, 5), float_samples("float64", 1 << 16, 6)
    with np.errstate(over="ignore"):
        same_floats(evaluate(tlc, tmp_path, "cast(float16, %x)", [x], ["float32"], "float16"), x.astype(np.float16))
        same_floats(evaluate(tlc, tmp_path, "cast(float16, %x)", [d], ["float64"], "float16"), d.astype(np.float16))
        same_floats(evaluate(tlc, tmp_path, "cast(float32, %x)", [d], ["float64"], "float32"), d.astype(np.float32))
    found = evaluate(tlc, tmp_path, "cast(bfloat16, %x)", [x], ["float32"], "bfloat16")
    same_floats(float32_of(found), float32_of(bfloat16_of(x)))


def test_every_half_becomes_a_float(tlc: Path, tmp_path: Path) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    found = evaluate(tlc, tmp_path, "cast(float32, %x)", [bits.view(np.float16)], ["float16"], "float32")
    same_floats(found, bits.view(np.float16).astype(np.float32))
    found = evaluate(tlc, tmp_path, "cast(float32, %x)", [bits], ["bfloat16"], "float32")
    same_floats(found, float32_of(bits))


# ---- Floats


def test_quotients_of_moderate_floats_round_once(tlc: Path, tmp_path: Path) -> None:
    """The short sequence for float32, over its whole range and a little beyond."""
    rng = np.random.default_rng(11)
    count = 1 << 22
    x = (rng.uniform(1, 2, count) * 2.0 ** rng.integers(-95, 95, count) * rng.choice([-1, 1], count)).astype(np.float32)
    y = (rng.uniform(1, 2, count) * 2.0 ** rng.integers(-33, 33, count) * rng.choice([-1, 1], count)).astype(np.float32)
    # Mantissas next to powers of two are where a reciprocal is hardest to round.
    y[: count // 4] = np.nextafter(np.exp2(np.round(np.log2(np.abs(y[: count // 4])))), np.float32(0))
    x[:64] = 0.0
    with np.errstate(all="ignore"):
        same_floats(evaluate(tlc, tmp_path, "%x / %y", [x, y], ["float32", "float32"], "float32"), x / y)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "expr", ["%x + %y", "%x - %y", "%x * %y", "%x / %y", "%x * %y + %x", "min(%x, %y)", "max(%x, %y)"]
)
def test_float_operators_round_once(tlc: Path, tmp_path: Path, expr: str, dtype: str) -> None:
    x, y = float_samples(dtype, 1 << 14, 7), np.roll(float_samples(dtype, 1 << 14, 8), 3)
    found = evaluate(tlc, tmp_path, expr, [x, y], [dtype, dtype], dtype)
    with np.errstate(all="ignore"):
        python = expr.replace("%", "").replace("min", "np.minimum").replace("max", "np.maximum")
        wanted = eval(python, {"np": np, "x": x, "y": y})
        if "m" in expr:  # NumPy takes either zero
            wanted = np.where((x == 0) & (y == 0), x + y if "max" in expr else -(-x - y), wanted)
    same_floats(found, wanted.astype(dtype))


# Ulp that src/types/math_fn.cpp promises in float32 and float64, and where to try.
FUNCTIONS = {
    "exp": (np.exp, 2, 2, (-100, 88)),
    "exp2": (np.exp2, 2, 2, (-140, 127)),
    "log": (np.log, 2, 2, (1e-30, 1e30)),
    "log2": (np.log2, 2, 2, (1e-30, 1e30)),
    "log10": (np.log10, 3, 3, (1e-30, 1e30)),
    "log1p": (np.log1p, 2, 2, (-0.999, 1e9)),
    "sin": (np.sin, 2, 2, (-1e4, 1e4)),
    "cos": (np.cos, 2, 2, (-1e4, 1e4)),
    "tan": (np.tan, 2, 2, (-1e4, 1e4)),
    "asin": (np.arcsin, 2, 2, (-1, 1)),
    "acos": (np.arccos, 2, 2, (-1, 1)),
    "atan": (np.arctan, 2, 2, (-1e5, 1e5)),
    "sinh": (np.sinh, 3, 3, (-80, 80)),
    "cosh": (np.cosh, 3, 3, (-80, 80)),
    "tanh": (np.tanh, 3, 3, (-10, 10)),
    "asinh": (np.arcsinh, 3, 3, (-1e9, 1e9)),
    "acosh": (np.arccosh, 3, 3, (1, 1e9)),
    "atanh": (np.arctanh, 3, 3, (-0.9999, 0.9999)),
    "sqrt": (np.sqrt, 0.5, 0.5, (0, 1e30)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2, 2, (1e-30, 1e30)),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 4, 4, (-100, 100)),
}


def ulp_error(found: np.ndarray, exact: np.ndarray) -> float:
    step = np.abs(np.spacing(np.abs(exact).astype(found.dtype))).astype(np.longdouble)
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / step))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_keep_their_accuracy(tlc: Path, tmp_path: Path, name: str, dtype: str) -> None:
    function, in_float, in_double, (low, high) = FUNCTIONS[name]
    rng = np.random.default_rng(9)
    x = rng.uniform(low, high, 1 << 16)
    small = low + (x - low) * 10.0 ** rng.uniform(-9, 0, x.size)
    x = np.where(rng.random(x.size) < 0.5, x, small if low >= 0 else x * 10.0 ** rng.uniform(-9, 0, x.size))
    x = np.clip(x.astype(dtype), np.array(low, dtype), np.array(high, dtype))
    found = evaluate(tlc, tmp_path, f"{name}(%x)", [x], [dtype], dtype)
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.longdouble))
    finite = np.isfinite(exact)
    assert ulp_error(found[finite], exact[finite]) <= (in_float if dtype == "float32" else in_double) + 0.01


@pytest.mark.parametrize("name, function", [("atan2", np.arctan2), ("pow", np.power), ("hypot", np.hypot)])
def test_functions_of_two_keep_their_accuracy(tlc: Path, tmp_path: Path, name: str, function) -> None:
    rng = np.random.default_rng(10)
    for dtype in ("float32", "float64"):
        x, y = (rng.uniform(0.01, 30, 1 << 16).astype(dtype) for _ in range(2))
        found = evaluate(tlc, tmp_path, f"{name}(%x, %y)", [x, y], [dtype, dtype], dtype)
        with np.errstate(all="ignore"):
            exact = function(x.astype(np.longdouble), y.astype(np.longdouble))
            finite = np.isfinite(exact.astype(dtype))
        assert ulp_error(found[finite], exact[finite]) <= 2.01


# ---- Threads that combine

GROUPS = [(32, 8, 4), (32, 32, 1), (48, 4, 4), (96, 3, 32), (96, 6, 4), (128, 128, 1), (128, 2, 64), (256, 16, 8)]
GROUPS += [(1024, 1024, 1), (64, 64, 1), (6, 3, 2), (256, 8, 32)]
REDUCTIONS = {"sum": np.add, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("threads, extent, stride", GROUPS)
def test_threads_combine(
    tlc: Path, tmp_path: Path, threads: int, extent: int, stride: int, kind: str, dtype: str
) -> None:
    size = np.dtype(dtype).itemsize
    text = f"""func @f params [%A: global {dtype}[{threads}, 2]] {{
  launch [], [], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[{threads}],
      hints={{"index_bits": 32, "shared_bytes": {threads * 2 * size}}} {{
    alloc %x: local {dtype}[2]
    alloc %scratch: shared {dtype}[{threads * 2}], hints={{"offset": 0}}
    for %i: int32, 0, 2, loop=unrolled {{ store %x, [%i], %A[%tx, %i] }}
    thread.reduce {kind}, values=%x[0 :+ 2], extent={extent}, stride={stride}, scratch=%scratch[0 :+ {threads * 2}]
    for %j: int32, 0, 2, loop=unrolled {{ store %A, [%tx, %j], %x[%j] }}
  }}
}}"""
    values = np.random.default_rng(11).integers(-3, 4, (threads, 2)).astype(dtype)
    wanted = values.reshape(threads // (extent * stride), extent, stride, 2)
    wanted = REDUCTIONS[kind].reduce(wanted, axis=1, keepdims=True, dtype=dtype).repeat(extent, axis=1)
    run(tlc, tmp_path, text, 1, threads, [values])
    np.testing.assert_array_equal(values, wanted.reshape(threads, 2))
