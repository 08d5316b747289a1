"""Programs that once went wrong on the host or in the interpreter, each beside NumPy."""

from __future__ import annotations

import functools
import types

import ml_dtypes
import numpy as np
import pytest
import tilelang
import tilelang.language as T

TARGETS = ("c", "interpret")


@pytest.fixture(params=TARGETS)
def target(request):
    return request.param


@pytest.mark.parametrize(("dtype", "largest"), [("int8", 127), ("uint8", 255), ("int16", 32767)])
def test_an_extent_beyond_its_symbols_type_is_refused(target, dtype, largest):
    n = T.dynamic("n", dtype)

    @T.prim_func
    def k(A: T.Tensor((n,), "int8")):
        with T.Kernel(1, threads=32):
            for i in T.serial(n):
                A[i] = 1

    kernel = tilelang.compile(k, target=target)
    a = np.zeros(largest, np.int8)
    kernel(a)
    assert a.all()
    with pytest.raises(RuntimeError, match=f"gives `n` the value {largest + 1}, which its type {dtype} cannot hold"):
        kernel(np.zeros(largest + 1, np.int8))


def test_elements_beyond_2_31_at_constant_indices():
    rows, columns = 70000, 40000

    @T.prim_func
    def k(A: T.Tensor((rows, columns), "uint8"), B: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((2, 5), "uint8")
            T.copy(A[rows - 2, columns - 5], s)
            B[0] = A[rows - 1, columns - 1]
            B[1] = s[1, 4]
            A[rows - 1, columns - 2] = 77
            T.copy(s, A[rows - 2, 0])

    a, b = np.zeros((rows, columns), np.uint8), np.zeros(2, np.int32)
    a[-1, -1] = 5
    tilelang.compile(k, target="c")(a, b)
    assert b.tolist() == [5, 5]
    assert a[-1, -2] == 77
    assert a[-1, 4] == 5


def test_flat_indices_whose_coefficients_pass_2_31():
    batches, heads, rows, columns = 3, 32, 4096, 8192
    count = batches * heads * rows * columns

    @T.prim_func
    def k(A: T.Tensor((count,), "int8"), B: T.Tensor((batches,), "int32")):
        with T.Kernel(batches, threads=32) as b:
            B[b] = A[((b * heads + heads - 1) * rows + rows - 1) * columns + columns - 1]
            A[((b * heads + 1) * rows + 2) * columns + 3] = T.cast(b + 10, "int8")

    a, b = np.zeros(count, np.int8), np.zeros(batches, np.int32)
    view = a.reshape(batches, heads, rows, columns)
    view[:, -1, -1, -1] = [1, 2, 3]
    tilelang.compile(k, target="c")(a, b)
    assert b.tolist() == [1, 2, 3]
    assert view[:, 1, 2, 3].tolist() == [10, 11, 12]


def test_indices_do_not_wrap_where_a_value_is_known(target):
    @T.prim_func
    def k(A: T.Tensor((10,), "int32"), B: T.Tensor((3,), "int64"), n: T.int32):
        with T.Kernel(1, threads=32):
            if n == 100000:
                B[0] = A[n * n - 9999999999]
                B[1] = n * n
            B[2] = A[((n - 99993) * 65536 * 65536) // T.int64(4294967296)]

    b = np.zeros(3, np.int64)
    tilelang.compile(k, target=target)(np.arange(10, dtype=np.int32), b, 100000)
    assert b.tolist() == [1, 100000 * 100000 % 2**32, 7]


def test_negative_strides(target):
    m, n, sm, sn = T.dynamic("m, n, sm, sn")

    @T.prim_func
    def k(A: T.StridedTensor((m, n), (sm, sn), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 33), T.ceildiv(m, 7), threads=32) as (bx, by):
            s = T.alloc_shared((7, 33), "float32")
            T.copy(A[by * 7, bx * 33], s)
            for i, j in T.Parallel(7, 33):
                B[by * 7 + i, bx * 33 + j] = s[i, j] + A[by * 7 + i, bx * 33 + j]

    base = np.random.default_rng(0).random((50, 60), np.float32)
    kernel = tilelang.compile(k, target=target)
    for a in (base[::-1], base[:, ::-1], base[3:40:5, 50:2:-7], base.T[::-2, ::-3], base[:0], base[:1, ::-1]):
        b = np.zeros(a.shape, np.float32)
        kernel(a, b)
        assert (b == a + a).all()


REDUCTIONS = [
    ("float32", "int32"),
    ("float64", "float32"),
    ("float64", "bfloat16"),
    ("bool", "bool"),
    ("bool", "int32"),
    ("int32", "float16"),
    ("bfloat16", "int32"),
]


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("kind", ["sum", "max", "min", "abssum", "absmax"])
@pytest.mark.parametrize(("source", "result"), REDUCTIONS)
def test_reductions_into_another_type(target, source, result, kind, dim):
    shape = (33,) if dim == 0 else (5,)

    @T.prim_func
    def k(A: T.Tensor((5, 33), source), B: T.Tensor(shape, result)):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((5, 33), source)
            b = T.alloc_fragment(shape, result)
            T.copy(A, a)
            T.reduce(a, b, kind, dim, True)
            T.copy(b, B)

    types_ = {"bfloat16": ml_dtypes.bfloat16}
    given, wanted = (np.dtype(types_.get(name, name)) for name in (source, result))
    a = np.random.default_rng(1).integers(-16, 16, (5, 33))
    a = (a / 8 if given.kind not in "iub" else a).astype(given)
    wide = a.astype(np.float64)
    values = abs(wide) if kind.startswith("abs") else wide
    expected = getattr(np, kind[-3:])(values, axis=dim)
    b = np.zeros(shape, wanted)
    tilelang.compile(k, target=target)(a, b)
    if result == "bool":
        expected = expected != 0
    elif wanted.kind in "iu":
        expected = np.trunc(expected)
    assert (b == expected.astype(wanted)).all()


def test_copies_between_overlapping_parts_are_found():
    @T.prim_func
    def k(A: T.Tensor((16,), "int32"), by: T.int32):
        with T.Kernel(1, threads=32):
            T.copy(A[0:8], A[by : by + 8])

    kernel = tilelang.compile(k, target="interpret")
    a = np.arange(16, dtype=np.int32)
    kernel(a, 8)
    assert (a[8:] == a[:8]).all()
    with pytest.raises(RuntimeError, match="copies a part of `A` to one that overlaps it"):
        kernel(a, 4)


def test_tiles_larger_than_memory_are_an_error():
    @T.prim_func
    def k(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_shared((1 << 50,), "float32")
            s[5] = 1
            A[0] = s[5]

    for target in ("c", "interpret"):
        with pytest.raises(RuntimeError, match="the tiles of one program take 4294967296 MiB"):
            tilelang.compile(k, target=target)


options = types.SimpleNamespace(factor=2, tile=types.SimpleNamespace(rows=1))


class Settings:
    SHIFT = 1


@tilelang.jit(target="c", out_idx=[1])
def lazy_with_options(n):
    @T.prim_func
    def k(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = A[i] * options.factor + options.tile.rows * 10 + Settings.SHIFT * 100

    return k


@tilelang.jit(target="c")
def eager_with_options(A):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B = T.empty((N,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[i] = A[i] * options.factor + options.tile.rows * 10 + Settings.SHIFT * 100
    return B


@pytest.mark.parametrize("call", [lambda a: lazy_with_options(5)(a), eager_with_options], ids=["lazy", "eager"])
def test_changed_attributes_of_globals_compile_anew(call, monkeypatch):
    a = np.ones(5, np.float32)
    assert call(a)[0] == 112
    monkeypatch.setattr(options, "factor", 3)
    assert call(a)[0] == 113
    monkeypatch.setattr(options.tile, "rows", 2)
    assert call(a)[0] == 123
    monkeypatch.setattr(Settings, "SHIFT", 5)
    assert call(a)[0] == 523
    monkeypatch.setattr(options, "tile", types.SimpleNamespace(rows=3))
    assert call(a)[0] == 533


def test_jit_of_what_has_no_source():
    with pytest.raises(TypeError, match="is not a Python function, whose source can be read"):
        tilelang.jit(functools.partial(lambda A, k: None, k=4))
