"""Every operation knows the user's line; plain imports stay light; annotations may be strings."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import threading

import pytest
import tilelang.language as T
from tracing import refused, text


@T.macro
def inner(A, i):
    A[i] = 1  # inner store


@T.macro
def outer(A, i):
    inner(A, i)  # outer call
    A[i] = 2


def line_of(function, comment: str) -> int:
    source, first = inspect.getsourcelines(inspect.unwrap(function))
    return next(first + n for n, line in enumerate(source) if comment in line)


def test_positions_and_macro_chains() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):  # launch
            tile = T.alloc_shared((4,), "float32")  # alloc
            T.copy(A, tile)  # copy
            for i in range(4):  # for
                if n > i:  # if
                    A[i] = (
                        n + 1  # store
                    )
            outer(A, n)  # macro

    script = T.prim_func(kernel).script(positions=True)
    numbers = {int(n) for n in re.findall(r"test_language_positions.py:?\"?,? ?:?(\d+)", script)}
    for mark in ("# launch", "# alloc", "# copy", "# for", "# if", "# macro"):
        assert line_of(kernel, mark) in numbers, f"{mark}:\n{script}"
    assert line_of(inner, "# inner store") in numbers
    assert line_of(outer, "# outer call") in numbers


def test_the_caret_marks_the_expression() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            T.print(msg="é"), T.gemm(A, A, A)  # refused

    message = refused(kernel, (AssertionError, ValueError), "T.gemm")
    source, caret = message.splitlines()[2:4]
    assert source[caret.index("^") : caret.rindex("^") + 1] == 'T.print(msg="é"), T.gemm(A, A, A)'


def test_python_tracebacks_point_at_the_users_line() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = 1 // 0  # fails

    with pytest.raises(ZeroDivisionError) as caught:
        T.prim_func(kernel)
    assert caught.traceback[-1].lineno + 1 == line_of(kernel, "# fails")
    assert str(caught.traceback[-1].path) == __file__


def test_annotations_of_closures_that_python_does_not_capture() -> None:
    def factory(rows, kind):
        @T.prim_func
        def kernel(A: T.Tensor((rows,), kind)):
            with T.Kernel(1):
                A[0] = 1

        return kernel

    assert factory(7, "int8").params[0].shape == (7,)
    assert factory(9, "int8").params[0].shape == (9,)


def test_rewriting_happens_once_and_values_are_those_of_each_function() -> None:
    def factory(value):
        def kernel(A: T.Tensor((4,), "float32")):
            with T.Kernel(1):
                A[0] = value

        return kernel

    assert text(factory(1)) == "store %A, [0], 1.0:float32"
    assert text(factory(2)) == "store %A, [0], 2.0:float32"


def test_traces_of_threads_are_apart() -> None:
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for k in list(range(50)):
                A[k] = k

    expected = text(kernel)
    found = []
    threads = [threading.Thread(target=lambda: found.append(text(kernel))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_a_failed_trace_leaves_nothing_behind() -> None:
    def bad(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n > 0:
                A[0] = A  # refused

    def good(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = 1

    refused(bad, TypeError, "Incompatible types in BufferStore")
    assert text(good) == "store %A, [0], 1.0:float32"
    with pytest.raises(Exception, match="no kernel is being traced"):
        T.serial(4)


def test_import_is_light() -> None:
    program = (
        "import sys, tilelang.language as T; m = T.dynamic('m'); T.Tensor((m, 4), T.float16)\n"
        "print([n for n in ('tvm_ffi', 'numpy', 'torch') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_shared_dimension_is_one_variable_in_all_threads() -> None:
    n = T.dynamic("n")
    found = []
    start = threading.Barrier(8)

    def use() -> None:
        start.wait()
        found.append(n._h)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({hash(T.Var._of(h, "n", "int32")) for h in found}) == 1
