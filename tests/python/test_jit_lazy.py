"""Lazy kernels: factories of prim_funcs, their memo, outputs and options."""

from __future__ import annotations

import dataclasses

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T
from tilelang.jit import JITKernel

FACTOR = 3


@tilelang.jit(out_idx=[1])
def scaled(n: int = 8, factor=2, dtype="float32"):
    @T.prim_func
    def k(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = A[i] * factor

    return k


def vector(n=8, dtype=np.float32):
    return np.arange(n).astype(dtype)


def test_a_factory_gives_a_kernel_that_allocates_its_output():
    kernel = scaled(8)
    assert isinstance(kernel, JITKernel)
    assert np.array_equal(kernel(vector()), vector() * 2)
    assert scaled.mode == "lazy" and scaled.is_lazy_mode()


def test_equal_calls_share_a_kernel():
    assert scaled(8, 2) is scaled(8, 2)
    assert scaled(8, factor=2) is scaled(8, factor=2)
    assert scaled(8, 2) is scaled(8, factor=2), "the second level knows that the program is the same"


def test_types_of_arguments_matter():
    @tilelang.jit
    def typed(x):
        @T.prim_func
        def k(A: T.Tensor((1,), "float32")):
            with T.Kernel(1, threads=1):
                A[0] = {int: 10, bool: 20, float: 30}[type(x)]

        return k

    for value, expected in ((1, 10), (True, 20), (1.0, 30), ((1,), None), ((True,), None)):
        if expected is None:
            continue
        a = np.zeros(1, np.float32)
        typed(value)(a)
        assert a[0] == expected
    assert typed(1) is not typed(True)
    keys = {typed.parse_cache_key(v) for v in (1, True, 1.0, (1,), (True,), (1.0,), 0.0, -0.0)}
    assert len(keys) == 8


def test_globals_belong_to_the_key():
    global FACTOR

    @tilelang.jit
    def times_global():
        @T.prim_func
        def k(A: T.Tensor((4,), "int32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    A[i] = A[i] * FACTOR

        return k

    old = FACTOR
    try:
        for FACTOR in (3, 5, 3):
            a = vector(4, np.int32)
            times_global()(a)
            assert np.array_equal(a, vector(4) * FACTOR)
    finally:
        FACTOR = old


@pytest.mark.parametrize("cached", [True, False])
def test_closures_belong_to_the_key(cached, monkeypatch):
    """Two kernels of one factory that differ only in a closure cell."""
    if not cached:
        monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")

    def make(n):
        @tilelang.jit(out_idx=[0])
        def filled():
            @T.prim_func
            def k(A: T.Tensor((n,), "int32")):
                with T.Kernel(1, threads=32):
                    for i in T.Parallel(n):
                        A[i] = n

            return k

        return filled

    for n in (128, 256):
        assert np.array_equal(make(n)()(), np.full(n, n))


def test_unhashable_arguments_are_refused():
    with pytest.raises(TypeError, match="unhashable type"):
        scaled([8])


def test_hashable_arguments():
    @dataclasses.dataclass(frozen=True)
    class Config:
        n: int
        factor: float

    @tilelang.jit(out_idx=[0])
    def from_config(config):
        @T.prim_func
        def k(A: T.Tensor((config.n,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(config.n):
                    A[i] = config.factor

        return k

    assert from_config(Config(4, 2)) is from_config(Config(4, 2))
    assert from_config.parse_cache_key(Config(4, 2)) != from_config.parse_cache_key(Config(4, 2.0))
    assert np.array_equal(from_config(Config(4, 2.5))(), np.full(4, 2.5))


def test_wrong_calls():
    with pytest.raises(TypeError, match="unexpected keyword"):
        scaled(m=8)
    with pytest.raises(TypeError, match="too many positional arguments for JIT function"):
        scaled(1, 2, 3, 4)

    @tilelang.jit
    def needs(n):
        @T.prim_func
        def k(A: T.Tensor((n,), "int32")):
            with T.Kernel(1, threads=1):
                A[0] = 1

        return k

    with pytest.raises(TypeError, match="missing a required argument"):
        needs()


@pytest.mark.parametrize("thing", [3, None, "text"])
def test_jit_refuses_what_is_not_callable(thing):
    if thing is None:
        assert callable(tilelang.jit(thing))
        return
    with pytest.raises(TypeError, match="is not a callable object"):
        tilelang.jit(thing)


def test_jit_refuses_a_traced_function():
    with pytest.raises(TypeError, match="is not a callable object"):
        tilelang.jit(kernels.scale())


def test_compile_refuses_what_is_not_traced():
    with pytest.raises(AssertionError, match="target function must be a PrimFunc"):
        tilelang.compile(lambda: 0)


def test_the_same_function_again_gives_the_same_kernel(caplog):
    function = kernels.scale(3, 5)
    kernel = tilelang.compile(function)
    tilelang.set_log_level("WARNING")
    logger = __import__("logging").getLogger("tilelang")
    logger.propagate = True
    try:
        assert tilelang.compile(function) is kernel
    finally:
        logger.propagate = False
        tilelang.set_log_level("INFO")
    assert "Found kernel" in caplog.text


def test_methods():
    class Model:
        def __init__(self, factor):
            self.factor = factor

        @tilelang.jit(out_idx=[1])
        def kernel(self, n):
            factor = self.factor

            @T.prim_func
            def k(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
                with T.Kernel(1, threads=32):
                    for i in T.Parallel(n):
                        B[i] = A[i] * factor

            return k

    two, three = Model(2), Model(3)
    assert np.array_equal(two.kernel(8)(vector()), vector() * 2)
    assert np.array_equal(three.kernel(8)(vector()), vector() * 3)
    assert two.kernel(8) is Model(2).kernel(8)
    two.factor = 5
    assert np.array_equal(two.kernel(8)(vector()), vector() * 5), "what the object holds belongs to the key"
    assert len(two.kernel.par_compile([{"n": 4}, (5,)])) == 2
