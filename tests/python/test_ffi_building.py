"""The ABI of IR building: what it accepts, and how mistakes come out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tilelang._ffi import fn
from tilelang.errors import InternalError, TileLangError


@pytest.fixture
def builder():
    b = fn.builder_new("f")
    fn.builder_at(b, fn.builder_loc(b, "k.py", 7, 3, 9, "", -1))
    yield b
    fn.builder_drop(b)


def test_numbers_stand_for_expressions() -> None:
    x = fn.expr_var("x", "float16")
    assert fn.expr_text(fn.expr_binary("mul", x, 2)) == "x * 2.0"
    assert fn.expr_text(fn.expr_binary("mul", x, 0.5)) == 'T.cast(x, "float32") * 0.5'
    assert fn.expr_const(fn.expr_select(True, 3, 4)) == 3
    assert fn.expr_const(fn.expr_of(True)) is True
    assert fn.expr_const(fn.expr_of("s")) == "s"
    assert fn.expr_const(x) is None


def test_a_function_goes_round(builder) -> None:
    n = fn.builder_symbol(builder, "n", "int32")
    a = fn.builder_tensor(builder, "A", "float16", [n, 4], [])
    s = fn.builder_scalar(builder, "s", "float32")
    (bx,) = fn.builder_launch(builder, [n], [32], ["bx"], {"prelude": "// p", "hints": {"k": [1, 2]}})
    fn.builder_store(builder, a, [bx, -1], s)
    fn.builder_end(builder)
    function = fn.builder_finish(builder, [0])
    text = fn.function_text(function, False)
    assert text == (
        "func @f symbols [%n: int32] params [%A: global float16[%n, 4], %s: float32] outputs [0] {\n"
        '  launch [%bx: int32], [%n], threads=[32], prelude="// p", hints={"k": [1, 2]} {\n'
        "    store %A, [%bx, 3], cast(float16, %s)\n"
        "  }\n"
        "}\n"
    )
    assert fn.function_text(fn.function_parse(text), False) == text
    kinds = [
        (kind, name, dtype, [fn.expr_text(e) for e in shape])
        for kind, name, dtype, shape in fn.function_params(function)
    ]
    assert kinds == [("tensor", "A", "float16", ["n", "4"]), ("scalar", "s", "float32", [])]
    assert (fn.function_name(function), fn.function_launches(function), list(fn.function_outputs(function))) == (
        "f",
        1,
        [0],
    )


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda b: fn.expr_int("float17", 1), ValueError, "error[TL083]: unknown dtype `float17`"),
        (lambda b: fn.expr_binary("pow", 1, 2), NameError, "error[TL010]: there is no operator `pow`"),
        (lambda b: fn.expr_binary("add", 1, None), TypeError, "error[TL009]: a value of type None has no meaning"),
        (
            lambda b: fn.builder_copy(b, 3, 4, {}),
            ValueError,
            "error[TL042]: Unsupported argument type for to_buffer_region",
        ),
        (
            lambda b: fn.builder_alloc(b, "s", "float16", [4], "heap", None, {}),
            ValueError,
            "unknown memory scope `heap`",
        ),
        (lambda b: fn.builder_for(b, "i", 0, 4, 1, "diagonal", {}), KeyError, "`diagonal` is not a value of LoopKind"),
        (
            lambda b: fn.builder_for(b, "i", 0, 4, 1, "pipelined", {"stages": fn.expr_var("n", "int32")}),
            TypeError,
            "error[TL069]: stages must be an integer constant",
        ),
    ],
)
def test_wrong_arguments(builder, call, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call(builder)
    assert isinstance(caught.value, TileLangError)
    assert text in str(caught.value)
    assert "--> k.py:7:3" in str(caught.value)


def test_several_mistakes_in_one_report(builder) -> None:
    fn.builder_launch(builder, [1, 1, 1, 1], [0], [], {})
    with pytest.raises(ValueError, match="at most 3 are allowed") as caught:
        fn.expr_binary("div", 3, 2)
    codes = [line[:12] for line in str(caught.value).splitlines() if line.startswith("error[")]
    assert codes == ["error[TL071]", "error[TL070]", "error[TL082]"]


def test_macros_keep_their_call_chain(builder, tmp_path: Path) -> None:
    source = tmp_path / "k.py"
    source.write_text("one\n  two\n")
    caller = fn.builder_loc(builder, str(source), 1, 1, 4, "", -1)
    fn.builder_at(builder, fn.builder_loc(builder, str(source), 2, 3, 6, "m", caller))
    with pytest.raises(RuntimeError) as caught:
        fn.expr_binary("div", 3, 2)
    assert f"--> {source}:2:3\n    2 |   two\n      |   ^^^\n  in macro m, called at {source}:1:1" in str(caught.value)


def test_warnings_are_kept(builder) -> None:
    shown = fn.builder_warn(builder, 0, 4, "w")
    assert shown == "warning[TL004]: w\n  --> k.py:7:3"
    assert list(fn.builder_diagnostics(builder)) == [shown]


def test_messages_without_a_builder() -> None:
    assert fn.diagnostic_render(21, "m", "k.py", 3, 5, 9, ["n"], "h") == (
        "error[TL021]: m\n  --> k.py:3:5\nnote: n\nhelp: h"
    )
    assert fn.diagnostic_class(21) == "IndexError"
    assert [21, "IndexError", "index out of range"] in [list(row) for row in fn.diagnostic_codes()]


def test_failures_of_the_compiler_are_internal_errors(builder) -> None:
    with pytest.raises(InternalError, match="end without an open frame"):
        fn.builder_end(builder)
