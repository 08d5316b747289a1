"""Eager kernels: what an outline learns, how constants are solved, and what a call may pass."""

from __future__ import annotations

import pytest
import tilelang.language as T
from tilelang.errors import JITNoBuilderError, TileLangError
from tilelang.frontend import EagerFunction, Shape, captures, is_lazy
from tracing import refused


def scale(A, B, factor, block=64):
    M, N = T.const("M, N")
    A: T.Tensor[[M, N], T.float16]
    B: T.Tensor((N,), "float32")
    C = T.empty((M, N), T.float16)
    with T.Kernel(T.ceildiv(M, block)) as bx:
        C[bx, 0] = A[bx, 0] * factor + B[0]
    return C


def shapes_of(**shapes) -> dict[str, Shape]:
    return {name: Shape(shape, bits and None, bits or 16) for name, (shape, bits) in shapes.items()}


def trace(function, *args, shapes=None, **keywords):
    """The whole way from a call to a function."""
    eager = EagerFunction(function)
    call = eager.split(args, keywords)
    outline = eager.outline(call.static, shapes or {}, call.constants)
    return eager.trace(call.static, outline.solve(shapes or {}, call.constants))


def test_a_call_is_sorted_by_kind() -> None:
    tensor = object()
    call = EagerFunction(scale).split((tensor, None, 3), {"N": 8})
    assert call.tensors == {"A": tensor}
    assert call.static == {"B": None, "factor": 3, "block": 64}
    assert call.constants == {"N": 8}


def test_outline_and_bindings() -> None:
    outline = EagerFunction(scale).outline({"factor": 2, "block": 64}, {}, {})
    assert [(b.constant, b.tensor, b.dim) for b in outline.bindings] == [("M", "A", 0), ("N", "A", 1), ("N", "B", 0)]
    assert outline.declared == ["A", "B"]
    assert not outline.value_dependent
    assert outline.solve({"A": Shape((3, 5)), "B": Shape((5,))}, {}) == {"M": 3, "N": 5}
    assert outline.solve({"A": Shape((3, 5))}, {"N": 7}) == {"M": 3, "N": 7}
    assert outline.solve({}, {"M": 1, "N": 7}) == {"M": 1, "N": 7}


def test_trace_puts_numbers_in() -> None:
    function = trace(scale, None, None, 2, shapes={"A": Shape((128, 5)), "B": Shape((5,))})
    script = function.script()
    assert "%A: global float16[128, 5], %B: global float32[5], %C: global float16[128, 5]" in script
    assert "launch [%bx: int32], [2]" in script
    assert function.output_indices == [2]
    assert function.attrs["tilelang_out_idx"] == [2]


def test_missing_constant() -> None:
    outline = EagerFunction(scale).outline({"factor": 2, "block": 64}, {}, {})
    with pytest.raises(ValueError, match="(?s)Cannot find value for constexpr variable `N`.*`A` or `B`") as caught:
        outline.solve({}, {"M": 3})
    assert isinstance(caught.value, TileLangError)


def test_unknown_keyword() -> None:
    outline = EagerFunction(scale).outline({"factor": 2, "block": 64}, {}, {"Q": 1})
    with pytest.raises(TypeError, match="(?s)unexpected keyword argument `Q`.*its constants are: M, N"):
        outline.solve({"A": Shape((3, 5))}, {"Q": 1})


def test_constants_bind_when_the_annotation_runs() -> None:
    def kernel(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        if M > 3:
            rows = M // 2
        else:
            rows = 1
        with T.Kernel(rows) as bx:
            A[bx] = [k + 1 for k in range(rows)][-1]

    eager = EagerFunction(kernel)
    assert "[4]" in trace(kernel, shapes={"A": Shape((8,))}).script().splitlines()[1]
    assert "[1]" in trace(kernel, shapes={"A": Shape((2,))}).script().splitlines()[1]
    assert eager.outline({}, {"A": Shape((8,))}, {}).value_dependent


def test_forcing_an_unbound_constant() -> None:
    def kernel(A):
        M = T.const("M")
        if M > 3:  # refused
            pass
        A: T.Tensor((M,), "float32")
        with T.Kernel(1):
            A[0] = 1

    def outline(function):
        return EagerFunction(function).outline({}, {"A": Shape((8,))}, {})

    def number(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        with T.Kernel(int(M)):  # refused
            A[0] = 1

    refused(kernel, ValueError, "Constexpr variable `M` has no value yet", trace=outline)
    refused(number, ValueError, "Constexpr variable `M` has no value yet",
            trace=lambda f: EagerFunction(f).outline({}, {}, {}))  # fmt: skip


def test_unused_constant() -> None:
    def kernel(A):
        M, K = T.const("M K")
        A: T.Tensor((M, K * 2), "float32")
        with T.Kernel(1):
            A[0, 0] = 1

    refused(kernel, RuntimeError, "Constexpr variable `K` is not used in any buffer shape or stride",
            trace=lambda f: EagerFunction(f).outline({}, {}, {"M": 1, "K": 2}))  # fmt: skip


def test_strides_and_packed_elements() -> None:
    def kernel(A, B):
        M, S, N = T.const("M S N")
        A: T.StridedTensor((M,), (S,), "float32")
        B: T.Tensor((M, N), "int4")
        with T.Kernel(1):
            A[0] = 1

    outline = EagerFunction(kernel).outline({}, {}, {})
    shapes = {"A": Shape((4,), (3,), 32), "B": Shape((4, 8), (8, 1), 8)}
    assert outline.solve(shapes, {}) == {"M": 4, "S": 3, "N": 16}


def test_signature_annotations_scalars_and_order() -> None:
    n = T.dynamic("n")

    def kernel(x: T.float32, B, A: T.Tensor((n,), "float32"), k: T.int32 = 3):
        M = T.const("M")
        B: T.Tensor((M,), "float32")
        with T.Kernel(n):
            A[0] = B[0] * x + k

    eager = EagerFunction(kernel)
    call = eager.split((1.5, object()), {"A": object()})
    assert call.scalars == {"x": 1.5, "k": 3}
    assert set(call.tensors) == {"A", "B"}
    function = eager.trace(call.static, {"M": 4})
    assert [p.name for p in function.params] == ["x", "B", "A", "k"]
    head = function.script().splitlines()[0]
    assert head.index("%x") < head.index("%B") < head.index("%A") < head.index("%k: int32")


def test_outputs() -> None:
    def two(A: T.Tensor((4,), "float32")):
        first = T.empty(4)
        second = T.empty((4,), dtype="int32")
        with T.Kernel(1):
            first[0] = A[0]
            second[0] = 1
        return second, first

    def missing(A: T.Tensor((4,), "float32")):
        first = T.empty(4)
        second = T.empty(4)
        with T.Kernel(1):
            first[0] = second[0]
        return first

    def other(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = 1
        return A

    function = trace(two)
    assert function.output_indices == [2, 1]
    assert [function.params[i].dtype for i in function.output_indices] == ["int32", "float32"]
    refused(missing, RuntimeError, "`second` is not returned", trace=trace)
    refused(other, RuntimeError, "Only tensor allocated from `T.empty` can be returned", trace=trace)


def test_outputs_of_a_lazy_function() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((4,), "float32")):
        C = T.empty((4,), "float32")
        with T.Kernel(1):
            C[0] = A[0]
        return C

    assert kernel.attrs["tilelang_out_idx"] == [1]


def test_empty_outside_a_trace_is_a_record() -> None:
    record = T.empty(3, 4, dtype=T.int8)
    assert (record.shape, record.dtype) == ((3, 4), "int8")


def test_tensors_must_be_declared() -> None:
    numpy = pytest.importorskip("numpy")

    def kernel(A):
        with T.Kernel(1):
            A[0] = 1

    def late(A):
        M = T.const("M")
        x = A[0]  # refused
        A: T.Tensor((M,), "float32")
        with T.Kernel(1):
            A[0] = x

    with pytest.raises(TypeError, match="argument `A` is a tensor, but the kernel does not declare it"):
        EagerFunction(kernel).split((numpy.zeros(4),), {})
    refused(late, TypeError, "used before it is declared", trace=lambda f: EagerFunction(f).outline({}, {}, {}))


def test_a_kernel_launches() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        pass

    refused(kernel, RuntimeError, "launches nothing", trace=trace)


def test_wrong_calls() -> None:
    eager = EagerFunction(scale)
    with pytest.raises(TypeError, match="too many positional arguments for JIT function"):
        eager.split((1, 2, 3, 4, 5), {})
    with pytest.raises(TypeError, match="got multiple values for argument `A`"):
        eager.split((1,), {"A": 2})
    with pytest.raises(TypeError, match="missing a required argument: `factor`"):
        eager.split((), {})


def test_const_needs_an_eager_kernel() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        T.const("M")

    with pytest.raises(JITNoBuilderError, match="can only be used inside @tilelang.jit .eager mode."):
        T.prim_func(kernel)


def test_styles() -> None:
    def lazy(n):
        @T.prim_func
        def kernel(A: T.Tensor((n,), "float32")):
            with T.Kernel(1):
                A[0] = n

        return kernel

    assert is_lazy(lazy) and is_lazy(scale) is False
    assert lazy(3).params[0].shape == (3,)


BLOCK = 32


def offset(x):
    return x + BLOCK


@T.macro
def put(A, x):
    A[0] = offset(x)


def test_captures_follow_functions_and_macros() -> None:
    size = [4]

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(size[0]):
            put(A, 1)

    global BLOCK
    captured = captures(kernel)
    assert captured.items()[f"{__name__}.BLOCK"] == 32
    before = captured.key()
    assert captured.key() == before and hash(before) == hash(captured.key())
    try:
        BLOCK = True
        changed = captured.key()
        BLOCK = 1
        assert changed != captured.key()  # types count
    finally:
        BLOCK = 32
    assert captured.key() == before
    size[0] = 5
    assert captured.key() != before
    assert not any(name.endswith(".T") for name in captured.names)


def test_captures_of_modules_and_installed_functions() -> None:
    import types as configuration
    from textwrap import dedent

    settings = configuration.ModuleType("settings")
    settings.WIDTH = 8

    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(settings.WIDTH):
            A[0] = len(dedent("x"))

    captured = captures(kernel)
    before = captured.key()
    settings.WIDTH = 9
    assert captured.key() != before
    assert not any("dedent" in name for name in captured.names)


def test_annotations_in_the_body_see_enclosing_names() -> None:
    def factory(kind):
        def kernel(A):
            M = T.const("M")
            A: T.Tensor((M,), kind)
            with T.Kernel(1):
                A[0] = 1

        return EagerFunction(kernel)

    assert factory("int8").trace({}, {"M": 3}).params[0].dtype == "int8"
    assert factory("float16").trace({}, {"M": 3}).params[0].dtype == "float16"
