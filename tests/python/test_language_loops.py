"""Loops and `with` blocks of a kernel."""

from __future__ import annotations

import tilelang.language as T
from tracing import lines, refused, text, warnings_of


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
