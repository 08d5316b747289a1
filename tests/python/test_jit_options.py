"""Options of compiling: targets, backends, pass configuration, flags, several kernels at once."""

from __future__ import annotations

import re

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T


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


@pytest.mark.parametrize("target", ["c", "llvm", "cpu", "auto", None, {"kind": "c"}, "interpret"])
def test_targets(target):
    kernel = tilelang.compile(kernels.scale(4, 4), target=target, out_idx=1)
    assert np.array_equal(kernel(np.ones((4, 4), np.float32)), np.full((4, 4), 2))


def test_targets_of_other_machines_are_refused_clearly():
    with pytest.raises(ValueError, match="Target `metal` is not supported by this version"):
        tilelang.compile(kernels.scale(), target="metal")
    with pytest.raises(ValueError, match="Target `hip` is not supported by this version"):
        tilelang.compile(kernels.scale(), target="hip -mcpu=gfx942")
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
