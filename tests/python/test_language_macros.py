"""Macros: scope, arguments, references, returned values, and where they cannot be used."""

from __future__ import annotations

import pytest
import tilelang.language as T
from tilelang.errors import JITNoBuilderError, TileLangError
from tracing import lines, refused, text


@T.macro
def scale_into(dst, index, value, factor=2, *more, bias=0, **named):
    result = value * factor + bias
    dst[index] = result
    for k, extra in enumerate(more):
        dst[index + 1 + k] = extra
    for offset in named.values():
        dst[offset] = result


@T.macro
def increment(x: T.Ref):
    x += 1
    return x


@T.macro
def local_change(x):
    x = 7
    return x


@T.macro
def countdown(dst, n):
    if n > 0:
        dst[n] = n
        countdown(dst, n - 1)


@T.macro
def forever(dst):
    forever(dst)


@T.macro
def chosen(flag, a, b):
    if flag:
        return a + 1
    return b


@T.macro
def returns_from_control_flow(n):
    if n > 0:
        return 1
    return 2


def test_arguments() -> None:
    def kernel(A: T.Tensor((8,), "float32"), n: T.int32):
        with T.Kernel(1):
            scale_into(A, 0, A[7])
            scale_into(A, n + 1, 3, 4, 5, bias=1, last=7)

    assert text(kernel) == lines("""
        bind %value: float32, %A[7]
        bind %result: float32, %value * 2.0:float32 + 0.0:float32
        store %A, [0], %result
        bind %index: int32, %n + 1
        store %A, [%index], 13.0:float32
        store %A, [%index + 1 + 0], 5.0:float32
        store %A, [7], 13.0:float32
    """)


def test_wrong_calls() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            local_change()  # refused

    refused(kernel, TypeError, "missing a required argument: 'x'")


def test_references() -> None:
    def kernel(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=0)
            increment(v)
            y = increment(A[n + 1])
            A[0] = y
            z = local_change(v)
            A[1] = v + z

    assert text(kernel) == lines("""
        alloc %v: var int32[1], init=0
        store %v, [0], %v[0] + 1
        bind %index: int32, %n + 1
        store %A, [%index], %A[%index] + 1
        bind %y: int32, %A[%index]
        store %A, [0], %y
        bind %x: int32, %v[0]
        store %A, [1], %v[0] + 7
    """)


def test_regions_by_reference() -> None:
    @T.macro
    def set_first(part: T.Ref, value):
        part[0] = value
        part[1] += value

    def kernel(A: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            set_first(A[4:6], 3)

    def slices(A: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            part = A[4:6]
            part[0:1] = 3  # refused

    assert text(kernel) == lines("""
        store %A, [4], 3
        store %A, [5], %A[5] + 3
    """)
    refused(slices, TypeError, "Incompatible types in BufferStore")


def test_references_need_something_to_store_to() -> None:
    def number(A: T.Tensor((4,), "int32")):
        with T.Kernel(1):
            increment(3)  # refused

    def buffer(A: T.Tensor((4,), "int32")):
        with T.Kernel(1):
            increment(A)  # refused

    refused(number, ValueError, "To pass as reference")
    refused(buffer, ValueError, "To pass as reference")


def test_recursion_and_its_limit() -> None:
    def kernel(A: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            countdown(A, 2)

    def endless(A: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            forever(A)

    assert text(kernel) == lines("""
        store %A, [2], 2
        store %A, [1], 1
    """)
    refused(endless, RuntimeError, "is nested 100 deep", at=forever)


def test_returned_values() -> None:
    def kernel(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            A[0] = chosen(True, n, 0)
            A[1] = chosen(False, n, 5)

    def symbolic(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            A[0] = returns_from_control_flow(n)

    assert text(kernel) == lines("""
        store %A, [0], %n + 1
        store %A, [1], 5
    """)
    message = refused(symbolic, NotImplementedError, "return from control flow", at=returns_from_control_flow)
    assert "in macro returns_from_control_flow, called at" in message


def test_outside_a_kernel() -> None:
    with pytest.raises(JITNoBuilderError, match="T.macro can only be used inside") as caught:
        local_change(1)
    assert isinstance(caught.value, TileLangError)


def test_in_expressions_that_may_be_skipped() -> None:
    def conjunction(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            if n > 0 and local_change(n) == 7:  # refused
                A[0] = 1

    def choice(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            A[0] = local_change(n) if n > 0 else 0  # refused

    def condition(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1):
            while local_change(n) > n:  # refused
                A[0] = 1

    for kernel in (conjunction, choice, condition):
        refused(kernel, RuntimeError, "may be skipped at run time")


def test_source_is_the_rewritten_text() -> None:
    assert "def local_change(__tl, x):" in local_change.source


def test_closures_and_names_are_those_of_the_macro() -> None:
    size = 3

    @T.macro
    def fill_first(dst):
        i = size
        dst[i] = 1

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            i = 1
            fill_first(A)
            A[i] = 2

    assert text(kernel) == lines("""
        store %A, [3], 1.0:float32
        store %A, [1], 2.0:float32
    """)


def test_methods() -> None:
    @T.meta_class
    class Counter:
        def __init__(self, buffer, step):
            self.buffer, self.step = buffer, step

        def bump(self, index):
            self.buffer[index] += self.step

    class Plain:
        def __init__(self):
            self.__base = 2

        @T.inline
        def put(self, dst, index):
            dst[index] = self.__base

    plain = Plain()

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            counter = Counter(A, 3)
            counter.bump(1)
            plain.put(A, 2)

    assert text(kernel) == lines("""
        store %A, [1], %A[1] + 3.0:float32
        store %A, [2], 2.0:float32
    """)
