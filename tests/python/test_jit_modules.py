"""The modules around the JIT: what importing costs, names, environment, targets, the shim of TVM, testing."""

from __future__ import annotations

import importlib
import logging
import subprocess
import sys
from pathlib import Path

import kernels
import pytest
import tilelang
from tilelang.env import env


def run(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_importing_loads_nothing_heavy():
    heavy = ("torch", "numpy", "tvm_ffi", "ml_dtypes", "tvm", "rich")
    out = run(f"import sys, tilelang, tilelang.language; print([m for m in {heavy} if m in sys.modules])")
    assert out == "[]\n"


def test_a_numpy_call_does_not_load_torch():
    pytest.importorskip("torch")
    code = """
import sys, numpy as np, tilelang
sys.path.insert(0, {path!r})
import kernels
tilelang.compile(kernels.scale(4, 4), out_idx=[1])(np.ones((4, 4), np.float32))
print("torch" in sys.modules)
"""
    assert run(code.format(path=str(Path(__file__).parent))).endswith("False\n")


def test_jit_and_env_stay_what_they_are_whoever_imports_their_modules():
    code = """
import tilelang.jit.kernel, tilelang.env
from tilelang.jit import JITKernel, determine_target
from tilelang.env import env
import tilelang
assert callable(tilelang.jit) and tilelang.jit.__name__ == "jit"
assert tilelang.env is env and tilelang.env.env is env
"""
    run(code)


ALIASES = [
    ("tilelang.profiler", "Profiler", "Profiler"),
    ("tilelang.engine.lower", "lower", "lower"),
    ("tilelang.engine", "lower", "lower"),
    ("tilelang.math", "next_power_of_2", "next_power_of_2"),
    ("tilelang.math", "cdiv", "cdiv"),
    ("tilelang.transform", "PassConfigKey", "PassConfigKey"),
    ("tilelang.jit", "JITKernel", "JITKernel"),
    ("tilelang.jit.kernel", "JITKernel", "JITKernel"),
    ("tilelang.jit", "compile", "compile"),
    ("tilelang.utils.tensor", "TensorSupplyType", "TensorSupplyType"),
]


@pytest.mark.parametrize(("module", "name", "top"), ALIASES)
def test_names_are_one_object(module, name, top):
    assert getattr(importlib.import_module(module), name) is getattr(tilelang, top)


def test_older_paths():
    from tilelang.backend.target import determine_target
    from tilelang.engine.callback import register_cuda_postproc_callback, register_hip_postproc_callback  # noqa: F401
    from tilelang.jit import determine_target as third
    from tilelang.profiler.bench import do_bench
    from tilelang.testing import torch_assert_close
    from tilelang.utils.target import determine_target as second
    from tilelang.utils.tensor import torch_assert_close as other

    assert determine_target is second is third
    assert do_bench is tilelang.profiler.do_bench and torch_assert_close is other


def test_math():
    assert [tilelang.next_power_of_2(x) for x in (0, 1, 2, 3, 8, 9, 1000)] == [1, 1, 2, 4, 8, 16, 1024]
    assert [tilelang.cdiv(a, b) for a, b in ((7, 2), (8, 2), (0, 3), (-7, 2))] == [4, 4, 0, -3]


def test_version_and_date():
    assert tilelang.__version__.startswith("0.1.15")
    assert tilelang.build_date() is None and tilelang.build_date("0.1.16.dev20260102") == 20260102


def test_deprecated_names_warn():
    @tilelang.deprecated("old", "new", "9.9")
    def old():
        return 5

    with pytest.warns(DeprecationWarning, match=r"old is deprecated, use new instead and will be removed in 9\.9"):
        assert old() == 5


def test_log_level():
    logger = logging.getLogger("tilelang")
    try:
        for given, level in (
            ("DEBUG", logging.DEBUG),
            ("warning", logging.WARNING),
            ("no such", logging.INFO),
            (40, 40),
        ):
            tilelang.set_log_level(given)
            assert logger.level == level
        assert not logger.propagate and [type(h).__name__ for h in logger.handlers].count("_Handler") == 1
    finally:
        tilelang.set_log_level("INFO")


# --- environment ---


def test_members_read_the_environment_live(monkeypatch):
    monkeypatch.setenv("TILELANG_VERBOSE", "yes")
    assert env.get_default_verbose()
    monkeypatch.setenv("TILELANG_VERBOSE", "0")
    assert not env.get_default_verbose()


def test_assignment_overrides(monkeypatch):
    monkeypatch.setenv("TILELANG_DEFAULT_TARGET", "c")
    env.TILELANG_DEFAULT_TARGET = "interpret"
    try:
        assert env.get_default_target() == "interpret"
        assert tilelang.compile(kernels.scale(2, 9)).target == "interpret"
    finally:
        del env.TILELANG_DEFAULT_TARGET
    assert env.get_default_target() == "c"


def test_unknown_members():
    with pytest.raises(AttributeError):
        _ = env.NO_SUCH
    with pytest.raises(AttributeError):
        env.NO_SUCH = 1


@pytest.mark.parametrize(("text", "value"), [("", None), ("0", 0), ("2.5", 2.5)])
def test_timeouts(monkeypatch, text, value):
    monkeypatch.setenv("TILELANG_COMPILE_TIMEOUT_SECONDS", text)
    assert env.get_compile_timeout_seconds() == value


@pytest.mark.parametrize("text", ["-1", "nan", "soon"])
def test_wrong_timeouts(monkeypatch, text):
    monkeypatch.setenv("TILELANG_COMPILE_TIMEOUT_SECONDS", text)
    with pytest.raises(ValueError, match="must be empty or a non-negative number"):
        env.get_compile_timeout_seconds()


def test_default_target_as_json(monkeypatch):
    monkeypatch.setenv("TILELANG_DEFAULT_TARGET", '{"kind": "c", "keys": ["cpu"]}')
    assert env.get_default_target() == {"kind": "c", "keys": ["cpu"]}
    assert tilelang.jit.__module__ and tilelang.compile(kernels.scale(2, 10)).target == {"kind": "c", "keys": ["cpu"]}


def test_the_default_target_belongs_to_the_memo(monkeypatch):
    @tilelang.jit
    def factory():
        return kernels.scale(2, 11)

    first = factory()
    monkeypatch.setenv("TILELANG_DEFAULT_TARGET", "interpret")
    assert factory().target == "interpret" and first.target == "c"
    monkeypatch.delenv("TILELANG_DEFAULT_TARGET")
    assert factory() is first


# --- targets ---


def test_determine_target():
    from tilelang.backend.target import determine_target
    from tilelang.tvm.target import Target

    assert determine_target("auto") == "c" and determine_target("llvm") == "llvm"
    assert determine_target({"kind": "cuda", "arch": "sm_90a"}) == {"kind": "cuda", "arch": "sm_90a"}
    assert determine_target("cuda -arch=sm_90") == {"kind": "cuda", "arch": "sm_90"}
    found = determine_target("c", return_object=True)
    assert isinstance(found, Target) and found.kind.name == "c"
    with pytest.raises(AssertionError, match="is not supported. Pass target options as a dict"):
        determine_target("c -whatever")
    with Target("interpret"):
        assert determine_target("auto").kind.name == "interpret"


def test_detectors_and_normalizers():
    from tilelang.backend import target

    target.register_target_detector("mine", lambda: "interpret")
    try:
        assert target.list_target_detectors() == ("mine",) and target.auto_detect_target() == "interpret"
        with pytest.raises(ValueError, match="already registered"):
            target.register_target_detector("mine", lambda: None)
    finally:
        target._detectors.clear()
    target.register_target_normalizer("mine", lambda t: "c" if t == "host cpu" else None)
    try:
        assert target.determine_target("host cpu") == "c"
    finally:
        target._normalizers.clear()


# --- the shim of TVM ---


def test_tvm_is_the_shim_where_there_is_no_other():
    code = """
import tilelang
tvm = tilelang.tvm
import tvm as other
assert other is tvm
from tvm import tirx
from tvm.target import Target
import tvm.testing.utils
from tvm.testing.utils import requires_cuda
assert tvm.target.Target is Target and tilelang.tvm.target.Target is Target
assert tvm.__version__ == "0.25.dev0"
assert tvm.DataType("float16").bits == 16 and tvm.DataType("float32x4").lanes == 4
assert issubclass(tvm.error.InternalError, Exception) and issubclass(tvm.TVMError, Exception)
assert not tvm.runtime.enabled("cuda") and tvm.runtime.enabled("c")
assert tvm.ffi.get_global_func("no.such", allow_missing=True) is None
"""
    run(code)


def test_targets_of_the_shim():
    from tilelang.tvm.target import Target

    target = Target({"kind": "cuda", "arch": "sm_90a"})
    assert (target.kind.name, target.arch, target.attrs) == ("cuda", "sm_90a", {"arch": "sm_90a"})
    assert Target.current(allow_none=True) is None
    with target:
        assert Target.current() is target
    with pytest.raises(ValueError, match="Cannot parse target string"):
        Target("cuda -arch=sm_90")
    assert target == Target(target) and hash(target) == hash(Target(target)) and target != Target("c")


def test_modules_of_functions():
    from tilelang.tvm import ir

    function = kernels.scale(2, 12)
    module = ir.IRModule.from_expr(function)
    assert module["k"] is function and "func @k" in module.script()
    assert ir.structural_equal(function, kernels.scale(2, 12)) and not ir.structural_equal(
        function, kernels.scale(2, 13)
    )
    assert "k_kernel" in tilelang.lower(module, target="c").kernel_source
    changed = function.with_attr("note", 3)
    assert changed.attrs["note"] == 3 and "note" not in function.attrs


# --- testing ---


def test_requirements():
    from tilelang import testing

    def test():
        pass

    for requirement in (testing.requires_cuda, testing.requires_metal):
        marks = requirement(test).pytestmark
        assert marks[-1].name == "skipif" and marks[-1].args == (True,)
    assert testing.requires_llvm(test).pytestmark[-1].args == (False,)
    assert testing.requires_cuda.marks()[0].name == "skipif"
    assert testing.requires_package("no_such_package")(test).pytestmark[-1].args == (True,)
    assert testing.requires_cuda_compute_version_ge(9)(test).pytestmark[-1].args == (True,)
    with pytest.raises(ValueError, match="Unsupported mode"):
        testing.requires_cuda_compute_version(9, mode="about")


def test_random_seed():
    import random

    import numpy as np
    from tilelang import testing

    def draw():
        testing.set_random_seed(7)
        return random.random(), np.random.rand()

    assert draw() == draw()


def test_assert_close():
    torch = pytest.importorskip("torch")
    from tilelang.testing import torch_assert_close

    a = torch.ones(1000)
    b = a.clone()
    b[3] = 9
    assert torch_assert_close(a, a)
    assert torch_assert_close(a, b, max_mismatched_ratio=1e-3)
    with pytest.raises(AssertionError, match=r"greatest difference at \(3,\)"):
        torch_assert_close(a, b, max_mismatched_ratio=0)
    with pytest.raises(AssertionError, match="dtype of LHS"):
        torch_assert_close(a, b.double())
    torch_assert_close(a, a.double(), check_dtype=False)
    with pytest.raises(AssertionError, match="shape"):
        torch_assert_close(a, a[:5])


def test_performance_records(capsys, monkeypatch):
    from tilelang.testing import performance

    space = {"performance": performance}
    exec(
        "def regression_a():\n"
        "    performance.process_func(lambda n: n * 2.0, 'a', n=3)\n"
        "def other():\n"
        "    raise AssertionError\n",
        space,
    )
    monkeypatch.setenv("TL_PERF_REGRESSION_FORMAT", "json")
    exec("performance.regression()", space)
    assert capsys.readouterr().out == '__TILELANG_PERF_RESULTS_JSON__=[{"name": "a", "latency": 6.0}]\n'


def test_supply():
    torch = pytest.importorskip("torch")
    from tilelang.engine import KernelParam
    from tilelang.profiler import get_tensor_supply

    supply = get_tensor_supply(tilelang.TensorSupplyType.Auto)
    for name, low, high in (("uint8", 0, 2), ("int32", -2, 2), ("float16", -1, 1), ("bool", 0, 1)):
        made = supply(KernelParam(tilelang.DataType(name), [64]))
        assert made.shape == (64,) and low <= made.to(torch.float64).min() and made.to(torch.float64).max() <= high
    with pytest.raises(ValueError, match="static shape"):
        supply(KernelParam(tilelang.DataType("int8"), ["n"]))
    param = KernelParam(tilelang.DataType("uint8"), [])
    assert param.is_scalar() and param.is_unsigned() and not param.is_float8() and not param.is_boolean()


def test_phases_are_logged(monkeypatch, caplog):
    monkeypatch.setenv("TILELANG_JIT_DIAGNOSTICS", "1")
    logger = logging.getLogger("tilelang")
    logger.propagate = True
    try:
        tilelang.compile(kernels.scale(2, 14))
        with pytest.raises(RuntimeError):
            tilelang.compile(kernels.scale(2, 14), compile_flags="-fno-such-flag")
    finally:
        logger.propagate = False
    for text in ("phase start: lower", "phase done: lower", "phase failed: compile"):
        assert f"TileLang JIT {text}" in caplog.text
