"""The rules of the front end: parameters, conditions, loops, assignments, names."""

from __future__ import annotations

import logging

import pytest
import tilelang.language as T
from tracing import lines, refused, text


def warnings_of(function, caplog) -> str:
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="tilelang"):
        T.prim_func(function)
    return "\n".join(record.getMessage() for record in caplog.records)


# Parameters.


def test_parameters_are_annotated() -> None:
    def kernel(A, n: T.int32):
        pass

    refused(kernel, TypeError, "missing 1 required positional argument")


def test_parameters_are_not_positional_only() -> None:
    def kernel(n: T.int32, /):
        pass

    refused(kernel, TypeError, "does not support positional-only")


def test_parameters_may_be_keyword_only() -> None:
    def kernel(A: T.Tensor((4,), "float32"), *, n: T.int32):
        with T.Kernel(1):
            A[n] = 1

    assert text(kernel) == "store %A, [%n], 1.0:float32"


def test_defaults_and_star_parameters_are_refused() -> None:
    def default(n: T.int32 = 3):
        pass

    def star(*n: T.int32):
        pass

    refused(default, TypeError, "default of `n`")
    refused(star, TypeError, "does not support `*n`")


def test_string_annotations_are_names() -> None:
    def kernel(n: "int32"):  # noqa: UP037
        pass

    refused(kernel, NameError, "annotation `int32` of `kernel`: name 'int32' is not defined")


def test_callable_annotations_are_called() -> None:
    def kernel(A: (lambda: T.Tensor((4,), "float32"))):
        with T.Kernel(1):
            A[0] = 1

    assert T.prim_func(kernel).params[0].shape == (4,)


def test_annotation_of_another_kind() -> None:
    def kernel(A: 3):
        pass

    refused(kernel, TypeError, "annotation of `A` is a int")


# Conditions.


def test_if_symbolic_integers_and_elements() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n > 2:
                A[0] = 1
            elif n:
                A[1] = 1
            else:
                A[2] = 1
            if A[3]:
                A[3] = 2

    assert text(kernel) == lines("""
        if %n > 2 {
          store %A, [0], 1.0:float32
        } else {
          if %n != 0 {
            store %A, [1], 1.0:float32
          } else {
            store %A, [2], 1.0:float32
          }
        }
        if %A[3] != 0.0:float32 {
          store %A, [3], 2.0:float32
        }
    """)


def test_if_static_traces_one_branch() -> None:
    flag, nothing = True, None

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            if flag and A is not None:
                A[0] = 1
            else:
                undefined_name()
            if nothing:
                undefined_name()
            x = A[1] if nothing is None else undefined_name
            A[2] = x

    assert text(kernel) == lines("""
        store %A, [0], 1.0:float32
        bind %x: float32, %A[1]
        store %A, [2], %x
    """)


def test_buffer_is_no_condition() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            if A:  # refused
                pass

    refused(kernel, TypeError, "cannot be used as condition directly")


def test_other_objects_are_static_conditions(caplog) -> None:
    thing = object()

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            if thing:
                A[0] = 1

    assert "used as a condition" in warnings_of(kernel, caplog)


def test_conditional_expression() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            A[0] = A[n] if 0 <= n < 4 else 0.0

    assert text(kernel) == "store %A, [0], select(%n >= 0 && %n < 4, %A[%n], 0.0:float32)"


def test_conditional_expression_chooses_values() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = "a" if n > 0 else "b"  # refused
            A[0] = len(x)

    refused(kernel, TypeError, "chooses between values")


def test_logic() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32, b: T.bool):
        with T.Kernel(1):
            if (n > 1 and n < 3) or not b:
                A[0] = 1
            if 3 <= n < 7 != 5:
                A[1] = 1
            if (n > 1) & b | (n == 5):
                A[2] = 1
            if True and n > 1 and None is None:
                A[3] = 1

    assert [line for line in text(kernel).splitlines() if line.startswith("if")] == [
        "if %n > 1 && %n < 3 || !%b {",
        "if %n >= 3 && %n < 7 {",
        "if (%n > 1) & %b | (%n == 5) {",
        "if %n > 1 {",
    ]


def test_a_static_operand_decides() -> None:
    debug = False

    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n > 1 and debug:
                undefined_name()
            if n > 1 or not debug:
                A[0] = 1

    assert text(kernel) == "store %A, [0], 1.0:float32"


def test_logic_needs_booleans() -> None:
    def conjunction(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n and n > 2:  # refused
                A[0] = 1

    def negation(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if not n:  # refused
                A[0] = 1

    refused(conjunction, TypeError, "and not boolean")
    refused(negation, TypeError, "`not` of")


def test_membership() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n in (1, 2):
                A[0] = 1
            if n not in [3]:
                A[1] = 1
            if n in range(0, 100, 2):
                A[2] = 1
            if 1 in (1, 2):
                A[3] = 1

    assert text(kernel) == lines("""
        if %n == 1 || %n == 2 {
          store %A, [0], 1.0:float32
        }
        if !(%n == 3) {
          store %A, [1], 1.0:float32
        }
        if %n >= 0 && %n <= 98 && floormod(%n - 0, 2) == 0 {
          store %A, [2], 1.0:float32
        }
        store %A, [3], 1.0:float32
    """)


# Loops.


def test_while() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=0)
            while v < 4:
                v += 1
                if v == 2:
                    continue
                if v == 3:
                    break
                A[v] = 1

    assert text(kernel) == lines("""
        alloc %v: var int32[1], init=0
        while %v[0] < 4 {
          store %v, [0], %v[0] + 1
          if %v[0] == 2 {
            continue
          }
          if %v[0] == 3 {
            break
          }
          store %A, [%v[0]], 1.0:float32
        }
    """)


def test_while_of_python_values(caplog) -> None:
    def forever(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            while True:  # refused
                A[0] = 1

    def counter(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            k = 0
            while k < 3:  # refused
                A[k] = 1
                k += 1

    def never(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            while False:
                A[0] = 1

    refused(forever, RuntimeError, "Infinite while loop")
    refused(counter, RuntimeError, "Infinite while loop")
    assert "always false" in warnings_of(never, caplog)
    assert "while" not in text(never)


def test_loops_over_python_containers_unroll() -> None:
    def kernel(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            total = 0
            for n, x in enumerate([5, 6]):
                A[n] = x
                total += x
            for x, y in zip((2, 3), {"a": 1.5, "b": 2.5}.values()):
                if x == 3:
                    break
                A[x] = y
            A[7] = total

    assert text(kernel) == lines("""
        store %A, [0], 5.0:float32
        store %A, [1], 6.0:float32
        store %A, [2], 1.5:float32
        store %A, [7], 11.0:float32
    """)


def test_invalid_loops() -> None:
    def expression(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            for _ in n + 1:  # refused
                A[0] = 1

    def buffer(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for x in A:  # refused
                A[0] = x

    def with_else(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for _ in range(4):
                A[0] = 1
            else:
                A[1] = 1  # refused

    refused(expression, TypeError, "Invalid for loop")
    refused(buffer, TypeError, "Invalid for loop")
    refused(with_else, NotImplementedError, "`for ... else`")


def test_loop_targets() -> None:
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            for i, j in T.Parallel(4, 4):
                A[i, j] = 1
            for ij in T.grid(2, 3):
                A[ij[0], ij[1]] = 2
            for i in range(4):
                i = i // 2
                A[i, 0] = 3

    assert text(kernel) == lines("""
        parallel [%i: int32, %j: int32], [4, 4] {
          store %A, [%i, %j], 1.0:float32
        }
        for %i_1: int32, 0, 2 {
          for %j_1: int32, 0, 3 {
            store %A, [%i_1, %j_1], 2.0:float32
          }
        }
        for %i_2: int32, 0, 4 {
          bind %i_3: int32, floordiv(%i_2, 2)
          store %A, [%i_3, 0], 3.0:float32
        }
    """)


def test_loop_targets_of_wrong_number() -> None:
    def kernel(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            for i, j in T.Parallel(4, 4, 4):  # refused
                A[i, j] = 1

    refused(kernel, ValueError, "too many values to unpack")


def test_code_after_a_jump_warns(caplog) -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for i in range(4):
                if i > 2:
                    break
                    A[i] = 1

    assert "never reached" in warnings_of(kernel, caplog)
    assert "store" not in text(kernel)


def test_break_from_an_unrolled_loop_under_a_symbolic_condition() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            for x in [1, 2]:
                if n > x:
                    break  # refused
                A[x] = 1

    refused(kernel, ValueError, "`break` under a condition")


def test_with_takes_ordinary_context_managers() -> None:
    from contextlib import nullcontext

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1) as bx, nullcontext(3) as three:
            A[three] = bx
            kept = three
            A[kept] = 1

    assert text(kernel) == lines("""
        store %A, [3], cast(float32, %bx)
        store %A, [3], 1.0:float32
    """)


def test_with_something_else() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with 3:  # refused
            A[0] = 1

    refused(kernel, TypeError, "is not a context manager")


# Statements.


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


# Names.


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
