"""What TileLang 0.1.15 emits for Ascend 950 runs in the simulator. Optional: `TILELANG_ORIGINAL_PYTHON` is the
interpreter of an environment that has it; its helper headers are read from there, and nothing of it is kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import shared_kernels
import tilelang
from tilelang.engine import register_ascend_postproc
from tilelang.engine.callback import unregister

ORIGINAL = os.environ.get("TILELANG_ORIGINAL_PYTHON")
pytestmark = pytest.mark.skipif(not ORIGINAL, reason="TILELANG_ORIGINAL_PYTHON is not set")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"].*$', re.MULTILINE)
# Headers that none of these kernels needs: of SIMD instructions, which the simulator does not have yet, and of
# assertions, which it has under the same names.
LEFT_OUT = {"simd_inst.h", "debug.h"}


@pytest.fixture(scope="module")
def emitted() -> dict[str, str]:
    """Each kernel as the original emits it, with its own headers in place of their includes."""
    script = str(Path(shared_kernels.__file__))
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if extra := os.environ.get("TILELANG_ORIGINAL_PYTHONPATH"):
        environment["PYTHONPATH"] = extra

    def ask(*arguments: str) -> str:
        done = subprocess.run(
            [ORIGINAL, *arguments], capture_output=True, text=True, check=True, env=environment, cwd="/"
        )
        return done.stdout.strip().splitlines()[-1]

    headers = Path(ask("-c", "import tilelang; print(tilelang.__file__)")).parent / "src"
    return {name: _inlined(text, headers, headers, set()) for name, text in json.loads(ask(script)).items()}


def _inlined(text: str, headers: Path, folder: Path, seen: set[Path]) -> str:
    def header(match: re.Match) -> str:
        found = next((at for at in (headers / match[1], folder / match[1]) if at.exists()), None)
        if found is None or found in seen or found.name in LEFT_OUT:
            return "" if found else match[0]
        seen.add(found)
        return _inlined(found.read_text(), headers, found.parent, seen)

    return INCLUDE.sub(header, text)


def _run(name: str, emitted: dict[str, str], *arguments: np.ndarray) -> None:
    """Launches the original's text in place of ours."""
    kernel = re.compile(r"__global__\s+\w+\s+void\s+(\w+)\(")

    def original(own: str, target: object) -> str:
        text = emitted[name]
        return re.sub(rf"\b{kernel.findall(text)[-1]}\b", kernel.findall(own)[-1], text)

    try:
        register_ascend_postproc(original)
        tilelang.compile(shared_kernels.KERNELS[name](), target="ascend")(*arguments)
    finally:
        unregister("ascend")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")


def _vector_add(name: str, count: int, emitted: dict[str, str]) -> None:
    random = np.random.default_rng()
    a, b = (random.standard_normal(count, dtype=np.float32) for _ in range(2))
    c = np.full(count, np.nan, np.float32)
    _run(name, emitted, a, b, c)
    assert np.array_equal(c, a + b)


def test_vector_add(emitted: dict[str, str]) -> None:
    _vector_add("vector_add", 1 << 16, emitted)


def test_what_stands_behind_a_tail_is_found(emitted: dict[str, str]) -> None:
    """The original loads the part of the last tile that exists, and adds all of it: what it reads behind is stale."""
    with pytest.raises(tilelang.TileLangError, match=r"TL121.*which nothing has written"):
        _vector_add("vector_add_tail", 1_000_003, emitted)


@pytest.mark.parametrize(("name", "shape"), [("gemm", (1024, 1024, 1024)), ("gemm_tail", (130, 260, 64))])
def test_gemm(name: str, shape: tuple[int, int, int], emitted: dict[str, str]) -> None:
    m, n, k = shape
    random = np.random.default_rng()
    a, b = (random.standard_normal(size).astype(np.float16) for size in ((m, k), (n, k)))
    c = np.full((m, n), np.nan, np.float32)
    _run(name, emitted, a, b, c)
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    assert np.abs(c - expected).max() <= 1e-4 * np.abs(expected).max()
