"""Statements of a kernel, the names they use, and the Python around them."""

from __future__ import annotations

import pytest
import tilelang.language as T
from tracing import lines, refused, text, warnings_of


def test_return_in_a_prim_func() -> None:
    def value(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = 1
        return A

    def in_control_flow(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n > 0:
                return  # refused
            A[0] = 1

    refused(value, RuntimeError, "Only tensor allocated from `T.empty` can be returned")
    refused(in_control_flow, NotImplementedError, "return from control flow")


def test_assert() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            assert n > 0, f"n is {1 + 1}"
            assert A.shape == (4,)
            A[0] = 1

    def fails(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            assert A.shape == (5,), "shape"

    assert text(kernel) == lines("""
        assert %n > 0, message="n is 2"
        store %A, [0], 1.0:float32
    """)
    with pytest.raises(AssertionError, match="shape"):
        T.prim_func(fails)


def test_try_traces_the_body() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            try:
                A[0] = 1
                if n > 0:
                    A[1] = {}["missing"]
            except KeyError:
                A[2] = 1

    assert text(kernel) == lines("""
        store %A, [0], 1.0:float32
        store %A, [2], 1.0:float32
    """)


def test_nested_definitions() -> None:
    def function(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):

            def inner():  # refused
                return 1

            A[0] = inner()

    def cls(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):

            class Inner:  # refused
                pass

    refused(function, NameError, "`inner` is defined inside a kernel")
    refused(cls, NameError, "`Inner` is defined inside a kernel")


def test_statements_without_meaning() -> None:
    def generator(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = yield  # refused

    refused(generator, NotImplementedError, "has no meaning in a kernel")


def test_match_and_comprehensions_are_of_trace_time() -> None:
    mode = "b"

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1) as bx:
            scale = {"a": 1, "b": 2}
            terms = [bx * k for k in range(3) if k != 1]
            match mode:
                case "a":
                    A[0] = 1
                case other if other == "b":
                    A[1] = sum(terms) * scale[other]
            A[len(terms)] = (lambda x: x + 1)(bx)

    assert text(kernel) == lines("""
        store %A, [1], cast(float32, (0 + %bx * 0 + %bx * 2) * 2)
        store %A, [2], cast(float32, %bx + 1)
    """)


def test_match_on_a_symbolic_value() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            match n:  # refused
                case 1:
                    A[0] = 1

    refused(kernel, ValueError, "`match` on")


def test_bare_expressions(caplog) -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        """A docstring."""
        with T.Kernel(1):
            "a string"
            T.call_extern("int32", "touch", A[0])
            n + 1
            T.serial(4)

    found = warnings_of(kernel, caplog)
    assert "is unused and will be discarded" in found
    assert "a loop without `for`" in found
    assert text(kernel) == 'evaluate extern:int32("touch", %A[0])'


def test_unknown_names() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = no_such_name + 1  # refused

    message = refused(kernel, NameError, "no_such_name")
    assert message.splitlines()[3].count("^") == len("no_such_name")


def test_name_used_before_assignment() -> None:
    flag = False

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            if flag:
                x = 1
            A[0] = x  # refused

    refused(kernel, NameError, "name `x` is used before")


def test_names_are_read_when_traced() -> None:
    size = 4

    @T.prim_func
    def kernel(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            A[size] = 1

    size = 5
    assert "[4]" in kernel.script()


def test_python_numbers_of_symbolic_values() -> None:
    def index(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = [1, 2][n]  # refused

    def integer(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[int(n)] = 1  # refused

    def length(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = len(A)  # refused

    def largest(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = max(n, 3)  # refused

    refused(index, TypeError, "a Python index of")
    refused(integer, TypeError, "int() of")
    refused(length, TypeError, "len() of the buffer")
    refused(largest, ValueError, "Cannot use and / or / not operator to Expr")


def test_python_functions_build_expressions_only() -> None:
    def scaled(x):
        return x * 2 + 1

    def stores(A):
        A[0] = 1

    def loops(A):
        for i in T.serial(4):
            A[i] = 1

    def good(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = scaled(A[1])

    def bad_store(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            stores(A)  # refused

    def bad_loop(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            loops(A)  # refused

    assert text(good) == "store %A, [0], %A[1] * 2.0:float32 + 1.0:float32"
    assert "T.macro" in refused(bad_store, TypeError, "plain Python function")
    assert "T.macro" in refused(bad_loop, TypeError, "plain Python function")


def test_source_must_be_readable() -> None:
    space = {"T": T}
    exec("def kernel(n: T.int32):\n    pass\n", space)
    with pytest.raises(OSError, match="could not get source code"):
        T.prim_func(space["kernel"])


def test_what_python_refuses_points_into_the_kernel() -> None:
    def missing(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.alloc_shared((4,))  # refused

    def misspelt(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.copyy(A, A)  # refused

    def later(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.atomic_add(A[0], 1)  # refused

    def operators(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = "a" + 1  # refused

    def region(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = A[0:2] * 2  # refused

    refused(missing, TypeError, "missing 1 required positional argument: 'dtype'")
    refused(misspelt, AttributeError, "has no attribute 'copyy'")
    refused(later, AttributeError, "T.atomic_add is not available in this version")
    refused(operators, TypeError, "can only concatenate str")
    refused(region, TypeError, "is a whole region, not a value")


def test_errors_of_the_users_own_code_pass() -> None:
    def broken():
        raise AttributeError("mine")

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = broken()

    with pytest.raises(AttributeError, match="^mine$"):
        T.prim_func(kernel)


def test_nonlocal_and_global_names() -> None:
    count = 0

    def kernel(A: T.Tensor((4,), "float32")):
        nonlocal count
        count += 1
        with T.Kernel(1):
            A[count] = 1

    assert text(kernel) == "store %A, [1], 1.0:float32"
    assert text(kernel) == "store %A, [2], 1.0:float32"
