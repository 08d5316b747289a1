"""Parameters and conditions of a kernel."""

from __future__ import annotations

import tilelang.language as T
from tracing import lines, refused, text, warnings_of

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
