"""Eager kernels: constants solved from tensors, the memo, outputs, errors of calls."""

from __future__ import annotations

import numpy as np
import pytest
import tilelang
import tilelang.language as T

OFFSET = 1


@tilelang.jit
def add(A, B, block: int = 32):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), "float32")
    B: T.Tensor((M, N), "float32")
    C = T.empty((M, N), "float32")
    with T.Kernel(M, threads=32) as bx:
        for j in T.Parallel(N):
            C[bx, j] = A[bx, j] + B[bx, j]
    return C


def matrix(m=4, n=6, dtype=np.float32):
    return np.arange(m * n).reshape(m, n).astype(dtype)


def test_a_call_compiles_and_runs():
    assert np.array_equal(add(matrix(), matrix()), matrix() * 2)
    assert add.mode == "eager" and not add.is_lazy_mode()


def test_constants_make_kernels_and_are_remembered():
    for m, n in ((4, 6), (5, 7), (4, 6)):
        assert np.array_equal(add(matrix(m, n), matrix(m, n)), matrix(m, n) * 2)
    first = add.compile(matrix(), matrix())
    assert first is add.compile(M=4, N=6)
    assert first is not add.compile(M=4, N=7)


def test_keywords_may_name_tensors():
    assert np.array_equal(add(B=matrix(), A=matrix()), matrix() * 2)
    assert np.array_equal(add(matrix(), B=matrix(), block=16), matrix() * 2)


def test_constants_by_keyword_win():
    kernel = add.compile(M=4, N=6)
    assert np.array_equal(kernel(matrix(), matrix()), matrix() * 2)
    with pytest.raises(RuntimeError, match=r"input A shape\[0\]"):
        add(matrix(), matrix(), M=5)


def test_the_second_tensor_is_checked():
    with pytest.raises(RuntimeError, match=r"input B shape\[1\] violates packed ABI constraint; expected: 6, got: 5"):
        add(matrix(), matrix(4, 5))


def test_errors_of_calls():
    with pytest.raises(TypeError, match="too many positional arguments for JIT function"):
        add(matrix(), matrix(), 32, 1)
    with pytest.raises(TypeError, match="multiple values for argument"):
        add(matrix(), matrix(), A=matrix())
    with pytest.raises(ValueError, match="(?s)Cannot find value for constexpr variable `M`.*`A`"):
        add()
    with pytest.raises(TypeError, match="missing a required argument: `B`"):
        add(matrix())
    with pytest.raises(TypeError, match="Unsupported argument type"):
        add(matrix(), matrix(), [32])
    with pytest.raises(TypeError, match="keyword"):
        add(matrix(), matrix(), Q=1)
    with pytest.raises(TypeError, match="argument `A` is a int"):
        add(3, matrix())
    with pytest.raises((RuntimeError, ValueError), match="ndim mismatch|constexpr variable"):
        add(matrix().ravel(), matrix())


def test_out_idx_is_for_lazy_kernels():
    @tilelang.jit(out_idx=[1])
    def k(A: T.Tensor((4,), "int32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=32):
            B[0] = A[0]

    with pytest.raises(ValueError, match="out_idx is only supported in lazy mode"):
        k(np.zeros(4, np.int32), np.zeros(4, np.int32))


def test_annotations_in_the_signature():
    @tilelang.jit
    def k(A: T.Tensor((8,), "int32"), s: T.int32, t: T.int32 = 5):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(8):
                A[i] = s + t

    a = np.zeros(8, np.int32)
    assert k(a, 1) == []
    assert (a == 6).all()
    k(a, 1, 2)
    assert (a == 3).all()
    k(a, s=4, t=4)
    assert (a == 8).all()


def test_scalars_only():
    @tilelang.jit
    def k(s: T.int32):
        A = T.empty((4,), "int32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                A[i] = s
        return A

    assert np.asarray(k(7)).tolist() == [7] * 4
    assert np.asarray(k(8)).tolist() == [8] * 4


def test_several_outputs_keep_their_order():
    @tilelang.jit
    def k(A):
        N = T.const("N")
        A: T.Tensor((N,), "int32")
        first = T.empty((N,), "int32")
        second = T.empty((N + 1,), "float32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                first[i] = A[i] + 1
                second[i] = A[i]
            second[N] = 0.5
        return second, first

    a = np.arange(5, dtype=np.int32)
    out = k(a)
    assert isinstance(out, list) and np.array_equal(out[1], a + 1) and out[0].tolist() == [*range(5), 0.5]


def test_types_of_compile_time_values_matter():
    @tilelang.jit
    def k(A, x):
        A: T.Tensor((1,), "int32")
        with T.Kernel(1, threads=1):
            A[0] = {int: 10, bool: 20, float: 30}[type(x)]

    a = np.zeros(1, np.int32)
    for value, expected in ((1, 10), (True, 20), (1.0, 30), (1, 10)):
        k(a, value)
        assert a[0] == expected


def test_globals_and_closures_belong_to_the_key():
    global OFFSET
    cell = 10

    @tilelang.jit
    def k(A):
        A: T.Tensor((1,), "int32")
        with T.Kernel(1, threads=1):
            A[0] = OFFSET + cell

    a = np.zeros(1, np.int32)
    k(a)
    assert a[0] == 11
    old = OFFSET
    try:
        OFFSET = 2
        k(a)
        assert a[0] == 12
        cell = 20
        k(a)
        assert a[0] == 22
    finally:
        OFFSET = old


def test_a_constant_decides_in_python():
    @tilelang.jit
    def k(A):
        M = T.const("M")
        A: T.Tensor((M,), "int32")
        with T.Kernel(1, threads=1):
            if M > 3:
                A[0] = 100
            else:
                A[0] = 200

    for size, expected in ((2, 200), (5, 100), (2, 200), (3, 200)):
        a = np.zeros(size, np.int32)
        k(a)
        assert a[0] == expected


def test_a_constant_decides_which_tensors_there_are():
    @tilelang.jit
    def k(A, B):
        M = T.const("M")
        A: T.Tensor((M,), "int32")
        if M > 3:
            N = T.const("N")
            B: T.Tensor((N, 2), "int32")
        else:
            B: T.Tensor((M,), "int32")
        with T.Kernel(1, threads=1):
            A[0] = B.shape[0] * 10

    for a, b, expected in (
        (np.zeros(2, np.int32), np.zeros(2, np.int32), 20),
        (np.zeros(5, np.int32), np.zeros((7, 2), np.int32), 70),
        (np.zeros(2, np.int32), np.zeros(2, np.int32), 20),
    ):
        k(a, b)
        assert a[0] == expected


def test_dynamic_dims_do_not_recompile():
    @tilelang.jit
    def k(A):
        n = T.dynamic("n")
        A: T.Tensor((n,), "int32")
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            for i in T.Parallel(32):
                if bx * 32 + i < n:
                    A[bx * 32 + i] = n

    for size in (3, 100):
        a = np.zeros(size, np.int32)
        k(a)
        assert (a == size).all()
    assert k.compile(np.zeros(3, np.int32)) is k.compile(np.zeros(9, np.int32))


def test_strides_bind_constants():
    @tilelang.jit
    def k(A, B):
        M, S = T.const("M, S")
        A: T.StridedTensor((M, 4), (S, 1), "int32")
        B: T.Tensor((M,), "int32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(M):
                B[i] = A[i, 1] + S

    a, b = matrix(3, 10, np.int32)[:, :4], np.zeros(3, np.int32)
    k(a, b)
    assert b.tolist() == [11, 21, 31]


def test_none_is_a_compile_time_value():
    @tilelang.jit
    def k(A, bias):
        N = T.const("N")
        A: T.Tensor((N,), "int32")
        if bias is not None:
            bias: T.Tensor((N,), "int32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(N):
                if bias is None:
                    A[i] = -1
                else:
                    A[i] = bias[i]

    a, bias = np.zeros(4, np.int32), np.arange(4, dtype=np.int32)
    for given, expected in ((None, [-1] * 4), (bias, [0, 1, 2, 3]), (None, [-1] * 4)):
        k(a, given)
        assert a.tolist() == expected


def test_torch_outputs():
    torch = pytest.importorskip("torch")
    a = torch.rand(4, 6)
    out = add(a, a)
    assert isinstance(out, torch.Tensor) and torch.equal(out, a * 2)


def test_methods():
    class Model:
        offset = 0

        def __init__(self, offset):
            self.offset = offset

        @tilelang.jit
        def shift(self, A):
            N = T.const("N")
            A: T.Tensor((N,), "int32")
            B = T.empty((N,), "int32")
            with T.Kernel(1, threads=32):
                for i in T.Parallel(N):
                    B[i] = A[i] + self.offset
            return B

    a = np.arange(4, dtype=np.int32)
    one, two = Model(1), Model(2)
    for _ in range(2):
        assert np.array_equal(one.shift(a), a + 1)
        assert np.array_equal(two.shift(a), a + 2)
    one.offset = 7
    assert np.array_equal(one.shift(a), a + 7)


def test_get_tir_and_source():
    assert "func @add" in add.get_tir(matrix(), matrix()).script()
    assert "add_kernel" in add.get_kernel_source(M=4, N=6)
    assert add.parse_cache_key(matrix(), matrix()) != add.parse_cache_key(matrix(5, 6), matrix(5, 6))


def test_const_outside_a_kernel():
    with pytest.raises(tilelang.JITNoBuilderError, match="can only be used inside @tilelang.jit"):
        T.const("M")
