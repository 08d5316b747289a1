"""The examples with one flag, barrier or engine changed: the simulator reports each change."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest
import tilelang
from tilelang.engine import register_ascend_postproc
from tilelang.engine.callback import unregister

from examples.ascend import gemm, rmsnorm, softmax, vector_add

FLAG = re.compile(r"^\s*asc_sync_(notify|wait|pipe)\((.*)\);$")
PIPES = ["PIPE_V", "PIPE_MTE2", "PIPE_MTE3", "PIPE_MTE1", "PIPE_M", "PIPE_FIX"]


def _random(*shape: int, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


EXAMPLES = {
    "vector_add": (vector_add.vector_add(5 * 512 + 100, num_blocks=1, tile=512), [_random(2660), _random(2660)], 2660),
    "softmax": (softmax.softmax(13, 100, num_blocks=1, threads=64), [_random(13, 100)], (13, 100)),
    "rmsnorm": (rmsnorm.rmsnorm(9, 100, num_blocks=1, threads=64), [_random(9, 100), _random(100)], (9, 100)),
    "gemm": (
        gemm.gemm(100, 200, 250, block_M=64, block_N=256, block_K=64, num_stages=2),
        [_random(100, 250, dtype=np.float16), _random(200, 250, dtype=np.float16)],
        (100, 200),
    ),
    "persistent": (
        gemm.persistent_gemm(150, 300, 150, num_cores=1, block_M=64),
        [_random(150, 150, dtype=np.float16), _random(300, 150, dtype=np.float16)],
        (150, 300),
    ),
}


def _edges(lines: list[str]) -> dict[tuple[str, str, str], list[int]]:
    """Lines of sets and waits by the engines and the first number of the flag's id."""
    out: dict[tuple[str, str, str], list[int]] = {}
    for number, line in enumerate(lines):
        if (match := FLAG.match(line)) and match[1] != "pipe":
            source, target, flag = match[2].split(", ", 2)
            inner = flag.removeprefix("static_cast<event_t>(").removesuffix(")")
            base = re.search(r"\+ (\d+)$", inner)
            group = base[1] if base else ("0" if "%" in inner else inner)
            out.setdefault((source, target, group), []).append(number)
    return out


def _mutants(source: str):
    """(what was changed, the changed source)."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if not (match := FLAG.match(line)):
            continue
        yield f"line {number} left out: {line.strip()}", lines[:number] + [""] + lines[number + 1 :]
        if match[1] == "pipe":
            continue
        source_pipe, target_pipe, _ = match[2].split(", ", 2)
        other = next(pipe for pipe in PIPES if pipe not in (source_pipe, target_pipe))
        redirected = line.replace(f"({source_pipe},", f"({other},", 1)
        yield f"line {number} from {other}: {line.strip()}", lines[:number] + [redirected] + lines[number + 1 :]
    for edge, numbers in _edges(lines).items():
        yield f"all of {edge} left out", ["" if n in numbers else line for n, line in enumerate(lines)]


def _run(function, inputs, shape) -> np.ndarray:
    result = np.full(shape, np.nan, inputs[0].dtype)
    tilelang.compile(function, target="ascend")(*inputs, result)
    return result


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_change_of_a_flag_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A pair of flags whose loss is not found would be one too many: there is none."""
    caplog.set_level(logging.ERROR, logger="tilelang")
    function, inputs, shape = EXAMPLES[name]
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    texts = []
    try:
        register_ascend_postproc(lambda code, target: texts.append(code) or code)
        expected = _run(function, inputs, shape)
        assert not np.isnan(expected).any()
        missed = []
        for what, lines in _mutants(texts[0]):
            register_ascend_postproc(lambda code, target, lines=lines: "\n".join(lines))
            try:
                found = _run(function, inputs, shape)
            except tilelang.TileLangError:
                continue
            assert np.array_equal(found, expected), f"{what}: another result, and no word of it"
            missed.append(what)
    finally:
        unregister("ascend")
    assert missed == []
