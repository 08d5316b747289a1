"""What surrounds kernels on a CUDA device: source and machine code, cache, timing, workers, the doctor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tilelang
from device_programs import add
from tilelang.cache import store
from tilelang.profiler import do_bench

torch = pytest.importorskip("torch")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))
    store.memory.clear()
    yield store.kernels_folder()
    store.memory.clear()


def checked(kernel, n):
    a, b = (torch.randn(n, device="cuda") for _ in range(2))
    c = torch.full_like(a, float("nan"))
    kernel(a, b, c)
    assert torch.equal(c, a + b)
    return a, b, c


def test_source_ptx_and_sass(tmp_path, caplog):
    kernel = tilelang.compile(add(4096))
    source = kernel.get_kernel_source()
    assert "__global__" in source and "#include" not in source
    assert ".visible .entry" in kernel.get_ptx()
    kernel.export_sources(tmp_path / "k.cu", tmp_path / "host.txt")
    kernel.export_ptx(str(tmp_path / "k.ptx"))
    kernel.export_library(str(tmp_path / "k.cubin"))
    assert (tmp_path / "k.cu").read_text() == source and (tmp_path / "k.ptx").stat().st_size > 100
    assert (tmp_path / "k.cubin").read_bytes().startswith(b"\x7fELF")
    for usage in kernel.resource_usage.values():
        assert usage["n_regs"] > 0 and usage["n_spills"] == 0
    first = next(iter(kernel.resource_usage.values()))
    assert (kernel.n_regs, kernel.n_spills) == (first["n_regs"], 0) and first["variant"] == kernel.variants[0]
    with pytest.raises(ValueError, match="has no variant 2"):
        kernel.get_kernel_source(variant=2)
    with pytest.raises(ValueError, match="path must be provided"):
        kernel.export_sass("")


def test_a_second_cold_compile_reports_registers_too(cache):
    """NVRTC's own cache, which keeps no reports, is not asked."""
    found = []
    for _ in range(2):
        store.clear()
        found.append(tilelang.compile(add(1031), target="cuda").n_regs)
    assert found[0] > 0 and found[0] == found[1]


def test_a_variant_is_compiled_by_the_first_call_that_takes_it(cache, caplog):
    """And kept on disk from then on."""
    kernel = tilelang.compile(add(5001))
    memory = torch.randn(3, 5002, device="cuda")
    compiled = "for a call that needs its variant `general`"
    checked(kernel, 5001)
    assert compiled not in caplog.text and len(kernel.resource_usage) == 1
    for _ in range(2):
        kernel(*memory[:, 1:])
        assert caplog.text.count(compiled) == 1 and len(kernel.resource_usage) == 2
    store.memory.clear()
    again = tilelang.compile(add(5001))
    assert again.resource_usage == kernel.resource_usage
    again(*memory[:, 1:])
    assert torch.equal(memory[2, 1:], memory[0, 1:] + memory[1, 1:]) and caplog.text.count(compiled) == 1


def test_from_disk_in_another_process_without_nvrtc(cache):
    """A kernel on disk is loaded without the compiler."""
    checked(tilelang.compile(add(5003)), 5003)
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
import torch, tilelang
from device_programs import add
kernel = tilelang.compile(add(5003), target="cuda")
a, b = torch.randn(2, 5003, device="cuda"); c = torch.zeros_like(a)
kernel(a, b, c)
assert torch.equal(c, a + b)
ours = [line.split()[-1] for line in open("/proc/self/maps") if "libnvrtc" in line]
print("torch's" if "torch" in "".join(ours) else len(ours))
"""
    environment = {**os.environ, "TILELANG_PRINT_ON_COMPILATION": "1"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "begins to compile" not in result.stderr


@pytest.mark.parametrize("name", ["kernel.cubin", "device_kernel.cu", "manifest.json"])
def test_truncated_entries_are_compiled_again(cache, name):
    kernel = tilelang.compile(add(5009))
    (entry,) = cache.iterdir()
    path = entry / name
    path.write_bytes(path.read_bytes()[:50])
    store.memory.clear()
    again = tilelang.compile(add(5009))
    assert again is not kernel
    checked(kernel, 5009), checked(again, 5009)


def test_par_compile_in_workers(cache):
    sizes = list(range(6001, 6013))
    kernels = tilelang.par_compile([add(n) for n in sizes], target="cuda", num_workers=4)
    for n, kernel in zip(sizes, kernels):
        checked(kernel, n)
    assert len(list(cache.iterdir())) == len(sizes)
    found = tilelang.par_compile(
        [add(n) for n in range(7001, 7006)], compile_flags="--no-such-flag", target="cuda", ignore_error=True
    )
    assert found == [None] * 5


@pytest.mark.parametrize("backend", ["event", "cupti", "cudagraph", "wall"])
def test_backends_of_do_bench_agree_on_a_long_kernel(backend):
    n = 1 << 26
    kernel = tilelang.compile(add(n))
    a, b, c = checked(kernel, n)
    reference = do_bench(lambda: torch.add(a, b, out=c), backend="event", rep=20)

    def call():
        kernel(a, b, c)
        if backend == "wall":
            torch.cuda.synchronize()

    found = do_bench(call, backend=backend, rep=20, warmup=5)
    assert 0.2 * reference < found < 5 * reference + 1


def test_quantiles_and_profiler():
    kernel = tilelang.compile(add(100_003), out_idx=[2])
    profiler = kernel.get_profiler()
    assert all(tensor.device.type == "cuda" for tensor in profiler._get_inputs())
    quarters = profiler.do_bench(quantiles=[0.2, 0.5, 0.8], rep=5, warmup=1)
    assert quarters == sorted(quarters) and quarters[0] > 0
    profiler.assert_allclose(torch.add)
    profiler.assert_consistent(3)
    with pytest.raises(AssertionError):
        profiler.assert_allclose(torch.sub)


def test_the_drivers_events_agree_with_those_of_pytorch():
    from tilelang.profiler.driver_clock import DriverClock
    from tilelang.profiler.event import TorchClock, estimate

    n = 1 << 26
    kernel = tilelang.compile(add(n))
    a, b, c = checked(kernel, n)
    times = []
    for clock in (DriverClock(0, 256), TorchClock(0, 256)):
        with clock.scope():
            times.append(estimate(lambda: kernel(a, b, c), clock))
    assert 0.5 < times[0] / times[1] < 2


def test_doctor():
    result = subprocess.run(
        [sys.executable, "-m", "tilelang", "doctor"], capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    for what in ("CUDA driver", "CUDA compiler", "cuda:0", "cuda:0: compile", "cuda:0: run", "cuda:0: numerics"):
        (line,) = [found for found in result.stdout.splitlines() if found.strip().startswith(what + " ")]
        assert " works " in line
