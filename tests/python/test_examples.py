"""The examples: their own checks, and what the compiler makes of them at every step."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
import tilelang
from tilelang._ffi import fn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

KERNELS = {
    "vector_add": [("direct", (1000,)), ("buffered", (1000,)), ("two_dimensional", (77, 1000))],
    "quickstart": [("matmul_relu", (130, 260, 64)), ("matmul_relu", (128, 128, 128))],
    "softmax": [("softmax", (37, 1000, 4))],
    "rmsnorm": [("rmsnorm", (37, 1000, 4))],
    "transpose": [("transpose", (333, 129))],
}
PROGRAMS = [(name, maker, args) for name, makers in KERNELS.items() for maker, args in makers]


@pytest.fixture(autouse=True)
def examples_on_path(monkeypatch):
    """Makes `import quickstart` find the example."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in (*KERNELS, "placement"):
        sys.modules.pop(name, None)


def test_every_example_is_tested():
    """A new example joins the table above."""
    assert {p.stem for p in EXAMPLES.glob("*.py")} == KERNELS.keys() | {"demo", "placement"}


@pytest.mark.parametrize("name", KERNELS)
def test_check(name):
    """The example's own comparison with float64, on fresh random data."""
    importlib.import_module(name).check()


def test_check_at_sizes_that_divide_nothing():
    """Tails in every dimension, one element, sizes below a tile."""
    for shape in ((1, 1, 1), (65, 63, 7), (33, 129, 100), (64, 1, 64)):
        importlib.import_module("quickstart").check(*shape)
    for m, n in ((1, 1), (5, 7), (33, 63), (64, 129)):
        importlib.import_module("transpose").check(m, n)
        importlib.import_module("softmax").check(m, n, 4)
        importlib.import_module("rmsnorm").check(m, n, 4)
    for n in (1, 255, 256, 257):
        importlib.import_module("vector_add").check(n, 33)


@pytest.mark.parametrize(("name", "maker", "args"), PROGRAMS)
def test_text_and_positions_after_every_pass(name, maker, args, tmp_path):
    """parse(print(x)) is x after every pass, and every op still knows its line of the example."""
    function = getattr(importlib.import_module(name), maker)(*args)
    fn.artifact_compile(function.handle, "host", {}, str(tmp_path))
    dumps = sorted(tmp_path.glob("*.tl"))
    assert len(dumps) > 8
    op_line = re.compile(r"^ +(?!\}|# )\S")
    for dump in dumps:
        text = dump.read_text().removeprefix("# (unchanged)\n")
        assert fn.function_text(fn.function_parse(text), True) == text
        lost = [line for line in text.splitlines() if op_line.match(line) and f'{name}.py":' not in line]
        assert not lost, f"{dump.name}: {lost}"


@pytest.mark.parametrize(("name", "maker", "args"), PROGRAMS)
def test_source_names_the_users_lines(name, maker, args):
    """Comments of the generated source quote the example."""
    kernel = tilelang.compile(getattr(importlib.import_module(name), maker)(*args))
    quoted = re.findall(rf"// {name}\.py:(\d+)  (.*)", kernel.get_kernel_source())
    lines = (EXAMPLES / f"{name}.py").read_text().splitlines()
    assert len(quoted) >= 2
    assert all(lines[int(number) - 1].strip() == text for number, text in quoted)
