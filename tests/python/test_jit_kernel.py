"""What a compiled kernel offers: its source, messages, timing; lowering without running."""

from __future__ import annotations

import re

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T
from tilelang.jit import JITImpl


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


def test_failed_assertions_and_prints(capsys):
    @T.prim_func
    def k(A: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=1):
            T.device_assert(A[0] < 5, "too large")
            A[1] = 1

    kernel = tilelang.compile(k)
    kernel(np.zeros(4, np.int32))
    with pytest.raises(
        RuntimeError, match=r"(?s)Device assert failed.*too large.*test_jit_kernel\.py:\d+.*device_assert"
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
