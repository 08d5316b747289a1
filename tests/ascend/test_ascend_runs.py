"""Runs of Ascend kernels in the simulator: what they are launched on, how they are stopped, and what they say."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time

import numpy as np
import pytest
import tilelang
import tilelang.ascend.language as T
from agreement import agrees, numbers


def strided(shape: tuple[int, ...], strides: tuple[int, ...]):
    """Copies a tensor of these strides, given in elements, to one of the same strides."""

    @T.prim_func
    def program(A: T.StridedTensor(shape, strides, "float32"), B: T.StridedTensor(shape, strides, "float32")):
        with T.Kernel(1):
            a = T.alloc_shared(shape, "float32")
            T.copy(A, a)
            with T.SimtVF(threads=32):
                for i, j in T.Parallel(*shape):
                    a[i, j] = a[i, j] + 1
            T.copy(a, B)

    return program


@pytest.mark.parametrize("turn", [np.s_[:, ::-1], np.s_[::-1], np.s_[::-1, ::-1], np.s_[::-1, ::-2], np.s_[::-2, 1:5]])
def test_strides_may_be_negative(turn) -> None:
    a, b = numbers(4, 6), numbers(4, 6)
    view = a[turn]
    program = strided(view.shape, tuple(stride // 4 for stride in view.strides))
    expected = b.copy()
    expected[turn] = view + 1
    for target in ("interpret", "ascend"):
        own = b.copy()
        tilelang.compile(program, target=target)(view, own[turn])
        assert np.array_equal(own, expected), target


@T.prim_func
def one_element(A: T.StridedTensor((4,), (-1,), "float32"), B: T.Tensor((4,), "float32"), n: T.int32):
    with T.Kernel(1):
        B[0] = A[n]


def test_elements_at_both_ends_of_a_negative_stride() -> None:
    kernel = tilelang.compile(one_element, target="ascend")
    a, b = numbers(6), np.zeros(4, np.float32)
    for n in range(4):
        kernel(a[4:0:-1], b, n)
        assert b[0] == a[4 - n]


def test_a_tensor_without_elements_has_no_ends() -> None:
    @T.prim_func
    def program(A: T.StridedTensor((T.dynamic("n"), 4), (-4, 1), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            b = T.alloc_shared((4,), "float32")
            T.clear(b)
            for i in T.serial(A.shape[0]):
                T.copy(A[i, 0:4], b)
            T.copy(b, B)

    kernel = tilelang.compile(program, target="ascend")
    a, b = numbers(3, 4), np.ones(4, np.float32)
    kernel(a[::-1], b)
    assert np.array_equal(b, a[0])
    kernel(a[:0][::-1], b)
    assert not b.any()


@T.prim_func
def long_scalar_code(A: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1):
        x = T.alloc_var("int32", init=1)
        for i in T.serial(n):
            for _ in T.serial(n):
                x = x * 3 + i
        A[0] = x


@T.prim_func
def long_copies(A: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1):
        a = T.alloc_shared((64,), "int32")
        for _ in T.Pipelined(n, num_stages=2):
            T.copy(A, a)
            T.copy(a, A)


@T.prim_func
def long_regions(A: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1):
        a = T.alloc_shared((64,), "int32")
        T.copy(A, a)
        for _ in T.serial(n):
            with T.SimtVF(threads=64):
                for i in T.Parallel(64):
                    a[i] = a[i] + 1
        T.copy(a, A)


@T.prim_func
def long_region(A: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1):
        a = T.alloc_shared((64,), "int32")
        T.copy(A, a)
        with T.SimtVF(threads=64):
            for k in T.serial(n):
                for i in T.Parallel(64):
                    a[i] = a[i] * 3 + k
        T.copy(a, A)


@T.prim_func
def many_blocks(A: T.Tensor((64,), "int32"), n: T.int32):
    for _ in T.serial(n):
        with T.Kernel(64) as bx:
            A[bx] = A[bx] + 1


@pytest.mark.parametrize("program", [long_scalar_code, long_copies, long_regions, long_region, many_blocks])
def test_an_interrupt_ends_a_run_of_the_simulator(program) -> None:
    kernel = tilelang.compile(program, target="ascend")
    # A process that a shell put into the background ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            kernel(np.zeros(64, np.int32), 2**31 - 1)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 60  # and not hours
    a = np.zeros(64, np.int32)
    kernel(a, 0)
    kernel(a, 1)
    agrees(program, numbers(64, dtype=np.int32), 2)


def test_an_interrupt_reaches_a_call_that_waits_for_another() -> None:
    kernel = tilelang.compile(long_regions, target="ascend")
    other = threading.Thread(target=lambda: kernel(np.zeros(64, np.int32), 20_000))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        other.start()
        time.sleep(0.1)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            kernel(np.zeros(64, np.int32), 2**31 - 1)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
        other.join()


@T.prim_func
def doubled(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_shared((64,), "float32")
        T.copy(A, a)
        with T.SimtVF(threads=64):
            for i in T.Parallel(64):
                a[i] = a[i] * 2
        T.copy(a, B)


@pytest.fixture
def warnings_of_calls():
    """What the logger says, in a list."""
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("tilelang")
    logger.addHandler(handler)
    yield said
    logger.removeHandler(handler)


@pytest.mark.parametrize("file", ["/nonexistent/x.json", "/dev/full", "."])
def test_a_timeline_that_cannot_be_written_is_a_warning(file: str, monkeypatch, warnings_of_calls) -> None:
    kernel = tilelang.compile(doubled, target="ascend", out_idx=[1])
    monkeypatch.setenv("TL_ASCEND_TIMELINE", file)
    warnings_of_calls.clear()
    a = numbers(64)
    assert np.array_equal(np.asarray(kernel(a)), a * 2)
    (text,) = warnings_of_calls
    assert text.startswith(f"warning[TL088]: TL_ASCEND_TIMELINE is ignored: `{file}` cannot be written"), text


@pytest.mark.parametrize("wanted", [True, False])
def test_a_timeline_is_written_where_one_is_wanted(wanted: bool, monkeypatch, tmp_path, warnings_of_calls) -> None:
    kernel = tilelang.compile(doubled, target="ascend")
    file = tmp_path / "timeline.json"
    monkeypatch.setenv("TL_ASCEND_TIMELINE", str(file) if wanted else "")
    warnings_of_calls.clear()
    kernel(numbers(64), numbers(64))
    assert warnings_of_calls == []
    assert file.exists() == wanted
    if wanted:
        assert {event["name"] for event in json.loads(file.read_text())["traceEvents"]} >= {"asc_vf_call"}


@T.prim_func
def grid_of_the_call(A: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(n) as bx:
        A[bx] = 1


def test_grids_of_the_call() -> None:
    kernel = tilelang.compile(grid_of_the_call, target="ascend")
    meaning = tilelang.compile(grid_of_the_call, target="interpret")
    agrees(grid_of_the_call, numbers(64), 0)
    agrees(grid_of_the_call, numbers(64), 64)
    texts = []
    for run in (meaning, kernel):
        with pytest.raises(ValueError, match=r"error\[TL071\]: the grid has the negative extent -1") as caught:
            run(numbers(64), -1)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    with pytest.raises(RuntimeError, match=r"error\[TL091\]: grid of .* more than 65535 programs") as caught:
        kernel(numbers(64), 65536)
    assert "with T.Kernel(n) as bx:" in str(caught.value) and "help: " in str(caught.value)


@pytest.mark.parametrize("outside", [True, False])
def test_constant_grids(outside: bool) -> None:
    programs = 65535 + outside

    @T.prim_func
    def program(A: T.Tensor((64,), "float32")):
        with T.Kernel(programs) as bx:
            if bx < 64:
                A[bx] = A[bx] + 1

    if not outside:
        agrees(program, numbers(64))
        return
    with pytest.raises(RuntimeError, match=r"error\[TL091\]: grid extent 0 of T.Kernel is 65536, but") as caught:
        tilelang.compile(program, target="ascend")
    assert "with T.Kernel(programs) as bx:" in str(caught.value)


def test_nothing_is_reported_behind_an_assertion() -> None:
    @T.prim_func
    def program(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32"), row: T.int32, column: T.int32):
        with T.Kernel(1):
            a, c = T.alloc_l1((32, 32), "float16"), T.alloc_l0c((32, 32), "float32")
            T.copy(A[row, column], a)
            T.gemm(a, a, c, transpose_B=True, clear_accum=True)
            T.copy(c, C[row, 0])

    kernel = tilelang.compile(program, target="ascend")
    with pytest.raises(tilelang.TileLangError) as caught:
        kernel(numbers(64, 64, dtype=np.float16), numbers(64, 64), -3, -4)
    assert "error[TL110]" in str(caught.value) and str(caught.value).count("error[") == 1, str(caught.value)
