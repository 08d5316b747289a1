"""The Ascend C of the examples, to the letter: `./dev bless tests/ascend` rewrites it. The prelude is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tilelang

from examples.ascend import gemm, rmsnorm, softmax, vector_add

TEXTS = Path(__file__).parent / "emitted"

EXAMPLES = {
    "vector_add": vector_add.vector_add(100_003),
    "softmax": softmax.softmax(1000, 500),
    "rmsnorm": rmsnorm.rmsnorm(1000, 500),
    "gemm": gemm.gemm(130, 260, 64),
    "persistent_gemm": gemm.persistent_gemm(1024, 1024, 1024),
}


def program_of(source: str) -> str:
    """The program and its functions of threads, which stand behind the prelude."""
    return source[source.rindex("\nnamespace tlp {\n") :].lstrip()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text_of_an_example(name: str, expect_text: Callable[[Path, str], None]) -> None:
    source = tilelang.compile(EXAMPLES[name], target="ascend").get_kernel_source()
    expect_text(TEXTS / f"{name}.txt", program_of(source))
