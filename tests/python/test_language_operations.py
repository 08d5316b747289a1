"""Loops, tile operations and arithmetic as text IR, and what they refuse."""

from __future__ import annotations

import pytest
import tilelang.language as T
from tracing import lines, refused, text

# Loops.


def test_loop_kinds() -> None:
    def kernel(A: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1):
            for i in T.serial(1, 7, 2):
                A[i] = 0
            for i in T.unroll(4, unroll_factor=2):
                A[i] = 1
            for i in T.vectorized(4):
                A[i] = 2
            for i in T.Pipelined(n, num_stages=3, order=[0], stage=[0]):
                A[i] = 3
            for i in T.Parallel(16, coalesced_width=4):
                A[i] = 4
            for i in T.unroll(2, explicit=True):
                A[i] = 5
            for i in range(n, 0, -1):
                A[i] = 6
            for i in T.parallel(2, 6):
                A[i] = 7

    heads = [line for line in text(kernel).splitlines() if line.startswith(("for", "parallel", "store"))]
    assert heads == [
        "for %i: int32, 1, 7, step=2 {",
        'for %i_1: int32, 0, 4, loop=unrolled, hints={"unroll_factor": 2} {',
        "for %i_2: int32, 0, 4, loop=vectorized {",
        "for %i_3: int32, 0, %n, loop=pipelined, stages=3, order=[0], stage=[0] {",
        'parallel [%i_4: int32], [16], hints={"coalesced_width": 4} {',
        "store %A, [0], 5.0:float32",
        "store %A, [1], 5.0:float32",
        "for %i_5: int32, %n, 0, step=-1 {",
        "parallel [%i_6: int32], [4] {",
    ]


@pytest.mark.parametrize(
    "loop, kind, fragment",
    [
        (lambda n: T.serial(0, 4, 0), ValueError, "step must be non-zero"),
        (lambda n: T.serial(2.5), TypeError, "a float"),
        (lambda n: T.unroll(4, explicit=True, unroll_factor=2), ValueError, "unroll_factor cannot be given too"),
        (lambda n: T.unroll(n, explicit=True), ValueError, "not a constant integer"),
        (lambda n: T.Parallel(), IndexError, "at least one extent"),
        (lambda n: T.Pipelined(4, num_stages=n), TypeError, "num_stages is `n`"),
    ],
)
def test_wrong_loops(loop, kind, fragment: str) -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            for _ in loop(n):  # refused
                A[0] = 1

    refused(kernel, kind, fragment)


# Tile operations.


def test_copy_options() -> None:
    def kernel(A: T.Tensor((64, 64), "float16")):
        with T.Kernel(1):
            tile = T.alloc_shared((64, 64), "float16")
            T.copy(A, tile, eviction_policy="evict_first", prefer_instruction="tma", coalesced_width=8)
            T.copy(A, tile, annotations={"eviction_policy": 2}, disable_tma=True)

    first, second = text(kernel).splitlines()[1:]
    assert first.endswith('prefer=tma, evict=evict_first, hints={"coalesced_width": 8}')
    assert second.endswith('evict=evict_last, hints={"disable_tma": true}')


def test_positional_width_is_accepted(caplog) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float16")):
        with T.Kernel(1):
            tile = T.alloc_shared((64,), "float16")
            T.copy(A, tile, 8)

    assert '"coalesced_width": 8' in kernel.script()
    assert "by keyword" in caplog.text


def test_wrong_copies() -> None:
    def shapes(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((4, 8), "float32")
            T.copy(A, tile)  # refused

    def other(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            T.copy(A, 3)  # refused

    def policy(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((4, 4), "float32")
            T.copy(A, tile, eviction_policy="never")  # refused

    refused(shapes, ValueError, "StructuralEqual check failed")
    refused(other, ValueError, "Unsupported argument type for to_buffer_region")
    refused(policy, KeyError, "unknown eviction policy `never`")


def test_gemm() -> None:
    def kernel(A: T.Tensor((4, 4), "float32"), n: T.int32):
        with T.Kernel(1):
            a = T.alloc_shared((32, 64), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((64, 16), "float32")
            T.gemm(a, b, c, True, True, policy=T.GemmWarpPolicy.FullRow, clear_accum=n == 0)

    def mismatch(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((16, 32), "float16")
            b = T.alloc_shared((64, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.gemm(a, b, c)  # refused

    assert text(kernel).splitlines()[-1] == (
        "tile.gemm a=%a[0 :+ 32, 0 :+ 64], b=%b[0 :+ 16, 0 :+ 32], c=%c[0 :+ 64, 0 :+ 16], transpose_a=true, "
        "transpose_b=true, policy=full_row, clear=%n == 0"
    )
    refused(mismatch, AssertionError, "T.gemm K shape check failed: K_A = 32, K_B = 64")


def test_older_keywords_are_accepted(caplog) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1, is_cpu=False):
            a = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            for _ in T.Pipelined(4, num_stages=2, group=[[0]]):
                T.gemm_v2(a, a, c, k_pack=2)

    assert "tile.gemm" in kernel.script()
    assert "keyword `k_pack` is ignored" in caplog.text and "keyword `group` is ignored" in caplog.text


def test_reductions() -> None:
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            tile = T.alloc_fragment((16, 8), "float32")
            row = T.alloc_fragment((16,), "float32")
            kept = T.alloc_fragment((1, 8), "float32")
            T.reduce_sum(tile, row)
            T.reduce_max(tile, kept, dim=0, clear=False, nan_propagate=True)
            T.reduce_abssum(tile, row, dim=1)

    def wrong(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            tile = T.alloc_fragment((16, 8), "float32")
            T.reduce_sum(tile, tile)  # refused

    found = text(kernel).splitlines()[3:]
    assert found[0] == "tile.reduce sum, src=%tile[0 :+ 16, 0 :+ 8], dst=%row[0 :+ 16], 1"
    assert found[1] == "tile.reduce max, src=%tile[0 :+ 16, 0 :+ 8], dst=%kept[0 :+ 1, 0 :+ 8], 0, clear=false"
    assert found[2].startswith("tile.reduce abssum")
    refused(wrong, ValueError, "Invalid reduce output shape")


def test_fill_beyond_the_buffer() -> None:
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((8,), "float32")
            T.fill(tile[6:12], 7)  # refused

    refused(kernel, ValueError, "tile")


# Annotations, prints, assertions, arithmetic.


def test_annotations() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((4, 4), "float32"), n: T.int32):
        T.func_attr({"global_symbol": "renamed", "tuned": 3})
        T.annotate_compile_flags("-O3 -g")
        T.annotate_pass_configs({"tl.fast": True})
        with T.Kernel(4):
            T.use_swizzle(4, order="column")
            T.assume(n > 0)
            T.sync_threads()
            A[0, 0] = T.if_then_else(T.likely(n > 2), 1, 2)

    assert "rasterization=column, panel_size=4" in kernel.script()
    assert "assume %n > 0" in kernel.script() and "barrier" in kernel.script()
    assert kernel.attrs["compile_flags"] == ["-O3", "-g"]
    assert kernel.attrs["pass_configs"] == {"tl.fast": True}
    assert kernel.attrs["global_symbol"] == "renamed" and kernel.attrs["tuned"] == 3
    assert kernel.with_attr("tuned", 4).attrs["tuned"] == 4 and kernel.attrs["tuned"] == 3


def test_wrong_swizzle() -> None:
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(4):
            T.use_swizzle(4, order="diagonal")  # refused

    refused(kernel, ValueError, "Unsupported swizzle order `diagonal`")


def test_print_and_device_assert() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            T.print(A)
            T.print(n + 1, msg="sum")
            T.print(msg="here")
            T.device_assert(n > 0, "positive")

    def nothing(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.print()  # refused

    def other(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.print(object())  # refused

    assert text(kernel) == lines("""
        print message="buffer<A, float32>", region=%A[0 :+ 4]
        print message="sum", values=[%n + 1]
        print message="here"
        assert %n > 0, message="positive"
    """)
    refused(nothing, AssertionError, "msg must not be empty")
    refused(other, ValueError, "Unexpected type object")


def test_arithmetic_on_python_ints_stays_python() -> None:
    assert (T.ceildiv(7, 2), T.ceildiv(-7, 2), T.align_up(7, 4)) == (4, -3, 8)
    assert (T.truncdiv(-7, 2), T.truncmod(-7, 2), T.floordiv(-7, 2), T.floormod(-7, 2)) == (-3, -1, -4, 1)
    assert (T.min(3, 2), T.max(3, 2), T.shift_left(1, 4), T.bitwise_xor(5, 3)) == (2, 3, 16, 6)
    assert all(type(v) is int for v in (T.ceildiv(7, 2), T.truncdiv(-7, 2), T.min(3, 2)))


def test_promotion() -> None:
    n, wide, small, unsigned = T.Var("n", "int32"), T.Var("w", "int64"), T.Var("s", "int8"), T.Var("u", "uint32")
    half, single, brain, flag = T.Var("h", "float16"), T.Var("f", "float32"), T.Var("b", "bfloat16"), T.Var("t", "bool")
    found = [(x + y).dtype for x, y in [(n, wide), (n, unsigned), (small, n), (small, 1), (unsigned, 1), (flag, n),
                                        (n, half), (half, single), (half, 1.5)]]  # fmt: skip
    assert found == ["int64", "uint32", "int32", "int32", "uint32", "int32", "float16", "float32", "float32"]
    assert (half + brain).dtype == (brain + half).dtype == "float16"
    assert (n < wide).dtype == "bool"
    with pytest.raises(TypeError, match="no common type"):
        _ = T.Var("p", "float8_e4m3fn") + T.Var("q", "float8_e5m2")


def test_refused_arithmetic() -> None:
    n, f = T.Var("n", "int32"), T.Var("f", "float32")
    with pytest.raises(RuntimeError, match="multiple types of integer divisions"):
        _ = n / 2
    with pytest.raises(TypeError, match="T.pow"):
        _ = n**2
    with pytest.raises(TypeError, match="T.abs"):
        abs(f)
    with pytest.raises(TypeError, match="whole buffer"):
        _ = n + T.Tensor((4,))


def test_elementary_functions() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = T.exp(A[1]) + T.pow(A[2], 2.0) + T.max(A[3], 0) + T.atan2(A[0], x2=A[1])
            A[1] = T.clamp(A[0], 0.0, 6.0) + T.round(A[1]) + T.abs(A[2]) + T.fma(A[0], A[1], A[2])
            A[2] = T.popcount(n) + T.clz(n) + T.bitwise_not(n)
            A[3] = T.Select(T.isnan(A[0]), 0.0, T.rsqrt(A[0]))

    found = text(kernel)
    for name in (
        "exp(",
        "pow(",
        "max(",
        "atan2(",
        "min(",
        "round(",
        "abs(",
        "fma(",
        "popcount(",
        "clz(",
        "isnan(",
        "rsqrt(",
    ):
        assert name in found


def test_expressions_are_dictionary_keys() -> None:
    m, n = T.dynamic("m n")
    table = {m: 1, n: 2, m + n: 3}
    assert table[m] == 1 and table[m + n] == 3
    assert m in [m, n]
    assert (m == m) and not (m != m)
    with pytest.raises(ValueError, match="Cannot use and / or / not operator to Expr"):
        bool(m == n)
    assert (m == None) is False  # noqa: E711
