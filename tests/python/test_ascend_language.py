"""The Ascend 950 dialect: launches, regions, loops and products in the IR, and the names of the dialect."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import tilelang.ascend.language as T
from test_language_signatures import expected, found
from tracing import interpret, lines, refused, text

RANDOM = np.random.default_rng(950)

# Launches and regions.


def test_launch_of_cores() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, prelude="// p") as bx:
            A[bx] = 1.0

    def sequence(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, prelude="// p") as (bx,):
            A[bx] = 1.0

    script = T.prim_func(kernel).script()
    assert 'launch [%bx: int32], [4], threads=[1], prelude="// p", hints={"cores": true} {' in script
    assert T.prim_func(sequence).script() == script.replace("@kernel", "@sequence")


def test_launch_has_one_extent_and_no_threads() -> None:
    def two(A: T.Tensor((4,), "float32")):
        with T.Kernel(2, 2) as (bx, by):  # refused
            A[bx + by] = 1.0

    def none(A: T.Tensor((4,), "float32")):
        with T.Kernel():  # refused
            A[0] = 1.0

    def threads(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, threads=128) as bx:  # refused
            A[bx] = 1.0

    for wrong in (two, none):
        refused(wrong, ValueError, "exactly one grid extent")
    refused(threads, TypeError, "unexpected keyword argument 'threads'")


def test_regions_and_their_threads() -> None:
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            with T.SimtVF(threads=64, latency=20):
                t = T.get_thread_binding()
                A[t] = 1.0
            with T.SimtVF(threads=(4, 8, 2)) as region:
                x, y, z = T.get_thread_bindings()
                assert T.get_thread_extents() == region.thread_extents == [4, 8, 2]
                assert T.get_thread_extent(1) == 8
                A[x + 4 * y + 32 * z] = 2.0

    lanes = "lanes=[%tx: int32, %ty: int32, %tz: int32]"
    head = T.prim_func(kernel).script().splitlines()[1].strip()
    assert head == f'launch [%bx: int32], [1], {lanes}, threads=[64, 1, 1], hints={{"cores": true}} {{'
    assert text(kernel) == lines("""
        group engine="simt", count=64, hints={"latency": 20} {
          store %A, [%tx], 1.0:float32
        }
        group engine="simt", count=64 {
          bind %x: int32, floormod(%tx, 4)
          bind %y: int32, floormod(floordiv(%tx, 4), 8)
          bind %z: int32, floordiv(%tx, 32)
          store %A, [%x + 4 * %y + 32 * %z], 2.0:float32
        }
    """)


def test_unusable_regions() -> None:
    def wrong(*args, **keywords):
        def kernel(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                with T.SimtVF(*args, **keywords):  # refused
                    A[0] = 1.0

        return kernel

    refused(wrong(0), ValueError, "1 to 2048 threads")
    refused(wrong((64, 64)), ValueError, "1 to 2048 threads")
    refused(wrong((2**62, 2**62)), ValueError, "1 to 2048 threads")
    refused(wrong((-1, -1)), ValueError, "1 to 2048 threads")
    refused(wrong((1, 1, 1, 1)), ValueError, "at most 3")
    refused(wrong("many"), ValueError, "must be an integer or a list of integers")
    refused(wrong(64, latency=-1), ValueError, "counts cycles")

    def nested(A: T.Tensor((64,), "float32")):
        with T.Kernel(1), T.SimtVF():
            with T.SimtVF():  # refused
                A[0] = 1.0

    def outside(A: T.Tensor((64,), "float32")):
        with T.SimtVF():  # refused
            A[0] = 1.0

    def thread(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[T.get_thread_binding()] = 1.0  # refused

    refused(nested, ValueError, "VF regions do not nest")
    refused(outside, RuntimeError, "needs an open `with T.Kernel(...)`")
    refused(thread, ValueError, "must be inside a VF block")


def test_a_region_may_have_2048_threads() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((2048,), "int32")):
        with T.Kernel(1), T.SimtVF(threads=(32, 64)):
            x, y = T.get_thread_binding(0), T.get_thread_binding(1)
            A[y * 32 + x] = x - y

    a = np.zeros(2048, np.int32)
    interpret(kernel, a)
    assert (a == (np.arange(32)[None] - np.arange(64)[:, None]).ravel()).all()


# Loops.


def test_loops() -> None:
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            ub = T.alloc_shared((16,), "float32")
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[k * 16], ub)
                with T.SimtVF(32):
                    for i in T.Parallel(16):
                        ub[i] += 1
                T.copy(ub, A[k * 16])
            for _ in T.unroll(2, explicit=True):
                A[0] = 1.0

    assert text(kernel) == lines("""
        alloc %ub: shared float32[16]
        for %k: int32, 0, 4, loop=pipelined, stages=2 {
          tile.copy src=%A[%k * 16 :+ 16], dst=%ub[0 :+ 16]
          group engine="simt", count=32 {
            parallel [%i: int32], [16] {
              store %ub, [%i], %ub[%i] + 1.0:float32
            }
          }
          tile.copy src=%ub[0 :+ 16], dst=%A[%k * 16 :+ 16]
        }
        store %A, [0], 1.0:float32
        store %A, [0], 1.0:float32
    """)


def test_persistent_loops() -> None:
    def kernel(A: T.Tensor((6, 16), "int32")):
        with T.Kernel(4) as bx:
            for i in T.Persistent([5], 4, bx):
                A[0, i] = 1
            for m, n in T.Persistent([6, 16], 4, bx, num_stages=2):
                A[m, n] = bx

    assert text(kernel) == lines("""
        for %i: int32, %bx, 5, step=4 {
          store %A, [0, %i], 1
        }
        for %tile: int32, %bx, 96, step=4, loop=pipelined, stages=2 {
          bind %m: int32, floordiv(floormod(%tile, 48), 8)
          bind %n: int32, 8 * floordiv(%tile, 48) + floormod(floormod(%tile, 48), 8)
          store %A, [%m, %n], %bx
        }
    """)


# Products.


def test_product_through_l1() -> None:
    def kernel(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), k: T.int32):
        with T.Kernel(1):
            a, b = T.alloc_l1((32, 64), "float16"), T.alloc_l1((48, 64), "float16")
            c = T.alloc_l0c((32, 48), "float32")
            T.gemm(a, b, c, transpose_B=True, clear_accum=k == 0, unit_flag_ctrl=2)

    assert text(kernel).splitlines()[-1] == (
        "tile.gemm a=%a[0 :+ 32, 0 :+ 64], b=%b[0 :+ 48, 0 :+ 64], c=%c[0 :+ 32, 0 :+ 48], transpose_b=true, "
        'clear=%k == 0, hints={"unit_flag_ctrl": 2}'
    )


def test_product_from_l0() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 16), "float16"), B: T.Tensor((32, 48), "float16"), C: T.Tensor((16, 48), "float16")):
        with T.Kernel(1):
            a1, b1 = T.alloc_l1((16, 32), "float16"), T.alloc_l1((32, 48), "float16")
            a = T.alloc_l0a((16, 32), "float16")
            b = T.alloc_l0b((48, 32), "float16")
            c = T.alloc_l0c((16, 48), "float32")
            T.copy(A, a1, transpose=True)
            T.copy(B, b1)
            T.copy(a1, a)
            T.copy(b1, b, transpose=True)
            T.gemm(a, b, c, transpose_B=True, clear_accum=True)
            T.copy(c, C)

    a, b = (RANDOM.standard_normal(shape).astype(np.float16) for shape in ((32, 16), (32, 48)))
    c = np.empty((16, 48), np.float16)
    interpret(kernel, a, b, c)
    assert np.allclose(c, a.astype(np.float64).T @ b.astype(np.float64), rtol=2e-3, atol=2e-3)


def test_product_of_tiles_in_part() -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((32, 16), "int8"), B: T.Tensor((32, 16), "int8"), C: T.Tensor((32, 32), "int32"), m: T.int32
    ):
        with T.Kernel(1):
            a1, b1 = T.alloc_l1((32, 32), "int8"), T.alloc_l1((32, 32), "int8")
            a, b = T.alloc_l0a((32, 32), "int8"), T.alloc_l0b((32, 32), "int8")
            c = T.alloc_l0c((32, 32), "int32")
            T.copy(A[0, 0], a1)
            T.copy(B[0, 0], b1)
            T.copy(a1[0:m, 0:32], a[0:m, 0:32])
            T.copy(b1, b)
            T.gemm(a[0:m, 0:32], b, c[0:m, 0:32], transpose_B=True, clear_accum=True)
            T.copy(c[0:m, 0:32], C[0:m, 0:32])

    a, b = (RANDOM.integers(-128, 128, (32, 16), np.int8) for _ in range(2))
    for m in (5, 32):
        c = np.zeros((32, 32), np.int32)
        interpret(kernel, a, b, c, m)
        assert (c == np.where(np.arange(32)[:, None] < m, a.astype(np.int32) @ b.astype(np.int32).T, 0)).all()


def test_unusable_products() -> None:
    def products(shapes, memories, **options):
        def kernel(A: T.Tensor((16,), "float16")):
            with T.Kernel(1):
                a, b, c = (alloc(shape, dtype) for alloc, shape, dtype in zip(memories, shapes, dtypes, strict=True))
                T.gemm(a, b, c, **options)  # refused

        return kernel

    dtypes = ("float16", "float16", "float32")
    l1 = (T.alloc_l1, T.alloc_l1, T.alloc_l0c)
    l0 = (T.alloc_l0a, T.alloc_l0b, T.alloc_l0c)
    square = ((32, 32), (32, 32), (32, 32))
    refused(products(square, l1), ValueError, "multiplied as A of M x K by B of N x K only")
    refused(products(square, l1, transpose_A=True, transpose_B=True), ValueError, "transpose_A=True")
    mixed = (T.alloc_l1, T.alloc_l0b, T.alloc_l0c)
    refused(products(square, mixed), ValueError, "Unsupported gemm combination: A is in l1 memory, B in l0b, C in l0c")
    refused(products(square, (*l1[:2], T.alloc_shared)), ValueError, "C in shared")
    refused(products(((24, 32), (32, 32), (24, 32)), l0), ValueError, "M must be a multiple of 16, but it is 24")
    refused(products(((32, 24), (24, 32), (32, 32)), l0), ValueError, "K must be a multiple of 16, but it is 24")
    refused(products(((32, 32), (32, 48), (32, 32)), l0), AssertionError, "column extents differ")
    refused(products(square, l0, unit_flag_ctrl=5), ValueError, "it is 0, 2 or 3")


# Names.


def test_dialect() -> None:
    assert T.__tilelang_dialect__ == "ascend"
    assert not hasattr(T, "fma")
    for name in T.__all__:
        assert hasattr(T, name)


def test_names_of_other_machines_and_later_versions_say_so() -> None:
    with pytest.raises(AttributeError, match="T.fma is not in the Ascend dialect"):
        _ = T.fma
    with pytest.raises(AttributeError, match="T.tma_copy is not in the Ascend dialect"):
        _ = T.tma_copy
    with pytest.raises(AttributeError, match="T.SimdVF is not available in this version: vector registers"):
        _ = T.SimdVF
    with pytest.raises(AttributeError, match="T.atomic_add is not available in this version"):
        _ = T.atomic_add
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = T.nonsense
    assert {"SimdVF", "simd", "MixedKernel", "rng_init"} <= set(dir(T))

    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1), T.SimdVF():  # refused
            A[0] = 1.0

    refused(kernel, AttributeError, "T.SimdVF is not available in this version")


def test_no_name_is_both_there_and_missing() -> None:
    from tilelang.ascend.language import missing

    assert not (set(missing.names()) | missing.absent()) & set(vars(T))
    assert not set(missing.names()) & missing.absent()


SIGNATURES = {
    "Kernel": "(*blocks, prelude = None)",
    "Parallel": "(*extents, coalesced_width = None, loop_layout = None, annotations = None)",
    "SimtVF": "(threads = 128, latency = 0)",
    "Unroll": "(start, stop = None, step = None, *, explicit = False, annotations = None)",
    "alloc_l0a": "(shape, dtype, scope=shared.l0a)",
    "alloc_l0b": "(shape, dtype, scope=shared.l0b)",
    "alloc_l0c": "(shape, dtype, scope=shared.l0c, layout = True)",
    "alloc_l1": "(shape, dtype, scope=shared.l1)",
    "copy": "(src, dst, *, coalesced_width = None, transpose = False, l2_cache_ctrl = None, unit_flag_ctrl = None, "
    "sub_blockid = None, pad_value = None, data_select = False, annotations = None, loop_layout = None)",
    "gemm": "(A, B, C, transpose_A = False, transpose_B = False, policy = <GemmWarpPolicy.Square: 0>, "
    "clear_accum = False, unit_flag_ctrl = None, annotations = None)",
    "print": "(obj = None, msg = )",
    "reduce_max": "(buffer, out, dim = -1, clear = True, batch = 1, annotations = None)",
    "Persistent": "(domain, wave_size, index, group_size = 8, num_stages = 0, *, annotations = None)",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    if name in ("Kernel", "Parallel"):  # behind *blocks everything is by keyword
        assert [p for p in found(getattr(T, name)) if p[0] != "*"] == expected(SIGNATURES[name])
        return
    assert found(getattr(T, name)) == expected(SIGNATURES[name])
    assert inspect.getdoc(getattr(T, name))
