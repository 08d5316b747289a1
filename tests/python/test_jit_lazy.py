"""Lazy kernels: factories of prim_funcs, their memo, outputs and options."""

from __future__ import annotations

import dataclasses
import re

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T
from tilelang.jit import JITImpl, JITKernel

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


# --- outputs ---


def test_out_idx_forms():
    function = kernels.scale(4, 4)
    a = np.ones((4, 4), np.float32)
    for out_idx in (1, [1], (1,), -1, [-1]):
        kernel = tilelang.compile(function, out_idx=out_idx)
        assert kernel.out_idx == [1]
        assert np.array_equal(kernel(a), a * 2)
    both = tilelang.compile(function, out_idx=[0, 1])
    outputs = both()
    assert isinstance(outputs, list) and [o.shape for o in outputs] == [(4, 4)] * 2
    first = tilelang.compile(_fill_first(), out_idx=[0])
    assert np.array_equal(first(np.zeros(3, np.float32)), np.ones(3))


def _fill_first():
    @T.prim_func
    def k(A: T.Tensor((3,), "float32"), B: T.Tensor((3,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(3):
                A[i] = B[i] + 1

    return k


@pytest.mark.parametrize(
    ("out_idx", "kind", "match"),
    [
        (2, ValueError, "out_idx index 2 is out of range for a function with 2 parameters"),
        (-3, ValueError, "out_idx index -3 is out of range"),
        ([1, -1], ValueError, "duplicate tensor indices"),
        ("1", TypeError, "out_idx"),
        (1.5, TypeError, "out_idx"),
        (True, TypeError, "out_idx"),
    ],
)
def test_wrong_out_idx(out_idx, kind, match):
    with pytest.raises(kind, match=match):
        tilelang.compile(kernels.scale(), out_idx=out_idx)


def test_scalar_and_0_dim_outputs_are_refused():
    with pytest.raises(ValueError, match="scalar `s`"):
        tilelang.compile(kernels.add_scalar(), out_idx=1)

    @T.prim_func
    def k(A: T.Tensor((), "int32")):
        with T.Kernel(1, threads=1):
            A[()] = 1

    with pytest.raises(ValueError, match="0-dimensional"):
        tilelang.compile(k, out_idx=0)


def test_t_empty_conflicts_with_out_idx():
    @T.prim_func
    def k(A: T.Tensor((4,), "int32")):
        B = T.empty((4,), "int32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                B[i] = A[i] + 1
        return B

    with pytest.raises(ValueError, match="Out index conflict"):
        tilelang.compile(k, out_idx=[0])
    assert np.array_equal(tilelang.compile(k)(vector(4, np.int32)), vector(4) + 1)


def test_outputs_are_solved_before_they_are_made():
    """The output stands before the input that fixes its size, and has a size of its own."""
    m = T.dynamic("m")

    @T.prim_func
    def k(C: T.Tensor((m + 1,), "int32"), A: T.Tensor((m,), "int32")):
        with T.Kernel(1, threads=32):
            C[m] = m

    kernel = tilelang.compile(k, out_idx=[0])
    for size in (1, 5):
        out = kernel(np.zeros(size, np.int32))
        assert out.shape == (size + 1,) and out[size] == size
    with pytest.raises(ValueError, match=r"Kernel expected 1 inputs, but 2 are provided\."):
        kernel(np.zeros(2, np.int32), np.zeros(2, np.int32))


def test_outputs_belong_to_the_framework_of_the_inputs():
    torch = pytest.importorskip("torch")
    kernel = scaled(8)
    out = kernel(torch.arange(8, dtype=torch.float32))
    assert isinstance(out, torch.Tensor) and out.device.type == "cpu"
    assert isinstance(kernel(vector()), np.ndarray)


def test_kernels_without_tensors_or_with_scalars_only():
    @tilelang.jit(out_idx=[0])
    def fill():
        @T.prim_func
        def k(A: T.Tensor((4,), "int32"), s: T.int32):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(4):
                    A[i] = s

        return k

    assert np.asarray(fill()(7)).tolist() == [7] * 4

    @T.prim_func
    def nothing():
        with T.Kernel(1, threads=32):
            T.sync_threads()

    assert tilelang.compile(nothing)() == []


# --- options ---


@pytest.mark.parametrize("target", ["c", "llvm", "cpu", "auto", None, {"kind": "c"}, "interpret"])
def test_targets(target):
    kernel = tilelang.compile(kernels.scale(4, 4), target=target, out_idx=1)
    assert np.array_equal(kernel(np.ones((4, 4), np.float32)), np.full((4, 4), 2))


def test_targets_of_other_machines_are_refused_clearly():
    with pytest.raises(ValueError, match="Target `cuda` is not supported by this version"):
        tilelang.compile(kernels.scale(), target="cuda")
    with pytest.raises(ValueError, match="Target `cuda` is not supported by this version"):
        tilelang.compile(kernels.scale(), target="cuda -arch=sm_90")
    with pytest.raises(AssertionError, match=r"is not supported\. Pass target options as a dict"):
        tilelang.compile(kernels.scale(), target="vax")


def test_execution_backends():
    for backend in ("auto", "tvm_ffi", "cython", "nvrtc"):
        assert tilelang.compile(kernels.scale(2, 2), execution_backend=backend) is not None
    message = re.escape("Invalid execution backend 'foo' for target 'c'. Allowed: tvm_ffi, cython")
    with pytest.raises(ValueError, match=message):
        tilelang.compile(kernels.scale(), execution_backend="foo")


def test_pass_configs():
    key = tilelang.PassConfigKey.TL_DISABLE_SAFE_MEMORY_ACCESS
    assert key == "tl.disable_safe_memory_legalize"
    plain = tilelang.compile(kernels.scale(2, 3))
    with_key = tilelang.compile(kernels.scale(2, 3), pass_configs={key: True})
    assert with_key is not plain and with_key.pass_configs == {str(key.value): True}
    with pytest.raises(AttributeError, match=r"Invalid config option 'x' candidates are:"):
        tilelang.compile(kernels.scale(), pass_configs={"x": 1})
    with pytest.raises(AttributeError, match="Expect config"):
        tilelang.compile(kernels.scale(), pass_configs={key: "yes"})
    with tilelang.transform.PassContext(config={key: True}):
        assert tilelang.compile(kernels.scale(2, 3)).pass_configs == {str(key.value): True}


def test_compile_flags_reach_the_compiler():
    with pytest.raises(RuntimeError, match="(?s)the C.. compiler failed on kernel k.*no-such-flag.*device_kernel.cpp"):
        tilelang.compile(kernels.scale(), compile_flags="-fno-such-flag")
    flagged = tilelang.compile(kernels.scale(2, 4), compile_flags=["-DUNUSED=1"])
    assert flagged.compile_flags == ["-DUNUSED=1"]


def test_par_compile():
    functions = [kernels.scale(2, n) for n in (5, 6, 7)]
    made = tilelang.par_compile(functions, out_idx=[1], num_workers=2)
    for kernel, n in zip(made, (5, 6, 7)):
        assert np.array_equal(kernel(np.ones((2, n), np.float32)), np.full((2, n), 2))
    bad = tilelang.par_compile(functions, out_idx=[1], compile_flags="-fno-such-flag", ignore_error=True)
    assert bad == [None] * 3
    with pytest.raises(RuntimeError):
        tilelang.par_compile(functions, compile_flags="-fno-such-flag")
    assert tilelang.par_compile([]) == []


def test_par_compile_of_a_factory():
    made = scaled.par_compile([{"n": 3}, (4,), {"n": 5, "factor": 9}])
    assert [k(vector(n)).tolist()[-1] for k, n in zip(made, (3, 4, 5))] == [4, 6, 36]
    with pytest.raises(ValueError, match="Invalid config type"):
        scaled.par_compile([[3]])


def test_source_and_export(tmp_path, capsys):
    kernel = scaled(8)
    source = kernel.get_kernel_source()
    assert "k_kernel" in source and kernel.kernel_source == source
    assert scaled.get_kernel_source(8) == source
    kernel.show_source()
    assert "k_kernel" in capsys.readouterr().out
    kernel.export_sources(kernel_path=str(tmp_path / "deep" / "k.cpp"), host_path=str(tmp_path / "h.txt"))
    assert (tmp_path / "deep" / "k.cpp").read_text() == source
    with pytest.raises(ValueError):
        kernel.export_sources()
    kernel.export_library(str(tmp_path / "k.so"))
    assert (tmp_path / "k.so").read_bytes()[:4] == b"\x7fELF"
    assert isinstance(kernel.get_host_source(), str)
    with pytest.raises(ValueError, match="path"):
        kernel.export_ptx("")


def test_get_tir_and_attributes():
    function = scaled.get_tir(8)
    assert "func @k" in function.script()
    kernel = scaled(8)
    assert kernel.prim_func.name == "k" and kernel.params[0].shape == [8] and str(kernel.params[0].dtype) == "float32"
    assert not hasattr(kernel, "func") and not hasattr(kernel, "libpath")
    with pytest.raises(ValueError, match="Tuning results are not available"):
        kernel.get_tuner_result()
    impl = scaled
    assert isinstance(impl, JITImpl) and impl.out_idx == [1] and "def scaled" in impl.func_source


def test_debug_root_path(tmp_path):
    @tilelang.jit(debug_root_path=str(tmp_path / "debug"))
    def factory():
        return kernels.scale(2, 8)

    factory()
    assert (tmp_path / "debug" / "tilelang_jit_kernel_factory.c").read_text().strip()
    assert (tmp_path / "debug" / "tilelang_jit_program_factory.py").read_text().strip()


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


def test_failed_assertions_and_prints(capsys):
    @T.prim_func
    def k(A: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=1):
            T.device_assert(A[0] < 5, "too large")
            A[1] = 1

    kernel = tilelang.compile(k)
    kernel(np.zeros(4, np.int32))
    with pytest.raises(
        RuntimeError, match=r"(?s)Device assert failed.*too large.*test_jit_lazy\.py:\d+.*device_assert"
    ):
        kernel(np.full(4, 9, np.int32))

    @T.prim_func
    def speaks(A: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=1):
            T.print(A[2], msg="value")

    tilelang.compile(speaks)(np.arange(4, dtype=np.int32))
    assert re.search(r"value.*2", capsys.readouterr().out)


def test_profiler_on_the_host():
    pytest.importorskip("torch")
    kernel = tilelang.compile(kernels.scale(8, 16), out_idx=[1])
    profiler = kernel.get_profiler()
    profiler.assert_allclose(lambda a: a * 2)
    with pytest.raises(AssertionError, match="Too many mismatched elements"):
        profiler.assert_allclose(lambda a: a * 3)
    profiler.assert_consistent(2)
    assert profiler.do_bench(backend="wall", n_warmup=1, n_repeat=2, warmup=1, rep=1) > 0
    quantiles = profiler.do_bench(n_warmup=1, n_repeat=3, quantiles=[0.2, 0.5])
    assert len(quantiles) == 2
    with pytest.raises(ValueError, match="Invalid return_mode"):
        tilelang.profiler.do_bench(lambda: 0, backend="wall", return_mode="best")
    with pytest.raises(RuntimeError, match="No device is available"):
        tilelang.profiler.do_bench(lambda: 0)
    with pytest.raises(ValueError, match="timing requires CUDA/HIP"):
        tilelang.profiler.do_bench(lambda: 0, backend="cupti")


def test_lower():
    artifact = tilelang.lower(kernels.scale(), target="c")
    assert "k_kernel" in artifact.kernel_source and artifact.rt_mod is None and len(artifact.params) == 2
    loaded = tilelang.lower(kernels.scale(2, 2), target="c", enable_device_compile=True).rt_mod
    b = np.zeros((2, 2), np.float32)
    loaded(np.ones((2, 2), np.float32), b)
    assert (b == 2).all()


def test_source_rewriters():
    from tilelang.engine.callback import register_c_postproc_callback, unregister

    @register_c_postproc_callback
    def rewrite(code, target):
        return code + "\n// rewritten\n"

    try:
        kernel = tilelang.compile(kernels.scale(7, 7))
        assert "// rewritten" in kernel.kernel_source
    finally:
        unregister("c")
