"""Compiling for CUDA from Python on a machine without a device: source, machine code, files, the cache, workers."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from pathlib import Path

import kernels
import pytest
import tilelang
import tilelang.language as T
from cache_folder import entries, forget
from tilelang.backend import cuda
from tilelang.jit.workers import WorkerPool
from tilelang.testing import requires_cuda

pytest_plugins = ["cache_fixtures"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = [
    ("vector_add", "direct", (1000,)),
    ("vector_add", "buffered", (1000,)),
    ("quickstart", "matmul_relu", (130, 260, 64)),
    ("softmax", "softmax", (37, 1000, 4)),
    ("rmsnorm", "rmsnorm", (37, 1000, 4)),
    ("transpose", "transpose", (333, 129)),
]

compiles_cuda = requires_cuda(support_required="compile-only")


def target(arch: str = "sm_90a") -> dict:
    return {"kind": "cuda", "arch": arch}


@pytest.mark.parametrize("arch", ["sm_75", "sm_90a", "sm_120a"])
@pytest.mark.parametrize(("name", "maker", "args"), PROGRAMS)
def test_source_without_a_device(monkeypatch, name, maker, args, arch):
    """Lowering needs neither a device nor a compiler of CUDA."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    function = getattr(importlib.import_module(name), maker)(*args)
    for module in (name, "placement"):
        sys.modules.pop(module, None)
    source = tilelang.lower(function, target=target(arch)).kernel_source
    assert re.search(r'extern "C" __global__ void', source) and "#include" not in source


@compiles_cuda
def test_compiling_without_a_device(tmp_path, caplog):
    kernel = tilelang.compile(kernels.scale(64, 64), target=target())
    assert kernel.target == target() and "__global__" in kernel.get_kernel_source()
    assert "// kernels.py:" in kernel.get_kernel_source(), "the user's lines are comments"
    kernel.export_sources(str(tmp_path / "k.cu"), str(tmp_path / "host.txt"))
    kernel.export_library(str(tmp_path / "k.cubin"))
    assert (tmp_path / "k.cu").read_text() == kernel.kernel_source
    assert (tmp_path / "k.cubin").read_bytes().startswith(b"\x7fELF")
    assert ".target sm_90a" in kernel.get_ptx()
    for usage in kernel.resource_usage.values():
        assert usage["n_regs"] > 0 and usage["n_spills"] == 0
    with pytest.raises(ValueError, match="path must be provided to export PTX"):
        kernel.export_ptx("")


@compiles_cuda
def test_code_of_the_device_is_shown(capsys, caplog):
    kernel = tilelang.compile(kernels.scale(64, 64), target=target("sm_80"))
    kernel.show_ptx()
    assert ".target sm_80" in capsys.readouterr().out
    host = tilelang.compile(kernels.scale(64, 64), target="c")
    with pytest.raises(ValueError, match="PTX exists for CUDA kernels only"):
        host.get_ptx()
    assert host.resource_usage == {} and host.n_regs is None and len(host.variants) == 1
    host.show_sass()
    assert "Failed to show SASS: SASS exists for CUDA kernels only" in caplog.text


@compiles_cuda
def test_entries_on_disk(cache, compiles):
    options = {"target": target()}
    first = tilelang.compile(kernels.scale(8, 8), **options)
    (entry,) = entries(cache)
    assert {path.name for path in entry.iterdir()} >= {"device_kernel.cu", "kernel.cubin", "manifest.json"}
    forget()
    second = tilelang.compile(kernels.scale(8, 8), **options)
    assert len(compiles) == 1 and second.get_kernel_source() == first.get_kernel_source()
    assert second.resource_usage == first.resource_usage, "from disk a kernel knows what a fresh one does"
    tilelang.compile(kernels.scale(8, 8), target=target("sm_80"))
    assert len(compiles) == 2
    (entry / "kernel.cubin").write_bytes((entry / "kernel.cubin").read_bytes()[:64])
    forget()
    tilelang.compile(kernels.scale(8, 8), **options)
    assert len(compiles) == 3


@compiles_cuda
def test_the_general_variant_is_compiled_later_and_kept(cache, caplog):
    kernel = tilelang.compile(kernels.scale(64, 64), target=target())
    assert kernel.variants == ["tensors aligned to 16 bytes", "general"]
    first, general = kernel.get_kernel_source(), kernel.get_kernel_source(variant=1)
    assert first != general and first == kernel.kernel_source and first.count("__global__") == 1
    with pytest.raises(ValueError, match="has no variant 2"):
        kernel.get_kernel_source(variant=2)
    (entry,) = entries(cache)
    assert not (entry / "kernel_1.cubin").exists()
    assert (entry / "device_kernel_1.cu").read_text() == kernel._variants.source(1)
    binary = kernel._variants.binary(1)
    assert binary.startswith(b"\x7fELF") and binary == kernel._variants.binary(1)
    assert caplog.text.count("for a call that needs its variant `general`") == 1
    assert [row["variant"] for row in kernel.resource_usage.values()] == kernel.variants
    (entry,) = entries(cache)
    assert (entry / "kernel_1.cubin").read_bytes() == binary
    forget()
    again = tilelang.compile(kernels.scale(64, 64), target=target())
    assert again is not kernel and again.resource_usage == kernel.resource_usage
    assert (kernel.n_regs, kernel.n_spills) == (next(iter(kernel.resource_usage.values()))["n_regs"], 0)
    assert again._variants.binary(1) == binary and caplog.text.count("that needs its variant") == 1


@compiles_cuda
def test_workers(cache, monkeypatch):
    with WorkerPool(1) as pool, pool.in_this_thread():
        kernel = tilelang.compile(kernels.scale(8, 9), target=target())
    assert ".target sm_90a" in kernel.get_ptx() and len(entries(cache)) == 1


@compiles_cuda
def test_par_compile_keeps_order_and_errors(cache):
    functions = [kernels.scale(8, n) for n in range(2, 7)]
    found = tilelang.par_compile(functions, target=target(), num_workers=2)
    assert [k.prim_func for k in found] == functions
    with pytest.raises(RuntimeError, match=r"error\[TL092\]"):
        tilelang.par_compile(functions, target=target(), num_workers=2, compile_flags="--no-such-flag")
    wrong = tilelang.par_compile(
        functions, target=target(), num_workers=2, compile_flags="--no-such-flag", ignore_error=True
    )
    assert wrong == [None] * 5


def test_no_compiler_of_cuda(cache, monkeypatch):
    """What is missing is said when it is needed, not before; other mistakes come first."""
    monkeypatch.setenv("TILELANG_CUDA_COMPILER", "/no/such/nvrtc")
    assert cuda.toolchain_stamp() == "" and cuda.status()["compiler_problem"]
    with pytest.raises(RuntimeError, match=r"error\[TL092\]"):
        tilelang.compile(kernels.scale(8, 10), target=target())
    assert "__global__" in tilelang.lower(kernels.scale(8, 10), target=target()).kernel_source


@compiles_cuda
def test_a_call_without_a_driver(monkeypatch):
    np = pytest.importorskip("numpy")
    monkeypatch.setenv("TILELANG_LIBCUDA", "/no/such/libcuda.so.1")
    kernel = tilelang.compile(kernels.scale(4, 4), target=target())
    with pytest.raises(RuntimeError, match="device_type mismatch, expected cuda; got: cpu"):
        kernel(np.ones((4, 4), np.float32), np.ones((4, 4), np.float32))


@compiles_cuda
def test_debug_files(tmp_path):
    @tilelang.jit(target=target(), debug_root_path=str(tmp_path))
    def factory():
        return kernels.scale(4, 11)

    factory()
    assert "__global__" in (tmp_path / "tilelang_jit_kernel_factory.c").read_text()
    assert (tmp_path / "tilelang_jit_program_factory.py").exists()


@compiles_cuda
@pytest.mark.parametrize("compiler", ["nvrtc", "nvcc"])
def test_parameters_named_as_words_and_macros_of_cpp(compiler, monkeypatch):
    monkeypatch.setenv("TILELANG_CUDA_COMPILER", compiler)
    if compiler == "nvcc" and shutil.which("nvcc") is None:
        pytest.skip("needs nvcc")
    assert tilelang.compile(named_as_words, target=target()).get_kernel_source()


@T.prim_func
def named_as_words(
    NULL: T.Tensor((64,), "float32"),
    static_cast: T.Tensor((64,), "float32"),
    divide_all: T.float32,
    TLP_HERE: T.float32,
    thread_local: T.float32,
    INT_MAX: T.float32,
    EOF: T.float32,
    M_PI: T.float32,
    cudaStreamLegacy: T.float32,
):
    with T.Kernel(1, threads=8):
        x = T.alloc_fragment((64,), "float32")
        T.copy(NULL, x)
        for i in T.Parallel(64):
            x[i] = x[i] / divide_all
        T.device_assert(EOF > TLP_HERE, "in order")
        for i in T.Parallel(64):
            static_cast[i] = x[i] + thread_local + INT_MAX + M_PI + cudaStreamLegacy
