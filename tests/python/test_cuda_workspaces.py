"""Functions of several launches on CUDA devices that `tests/fake_cuda` pretends: workspaces, programs that wait for
each other, pointers."""

from __future__ import annotations

import ctypes
import json
import subprocess
from pathlib import Path

import pytest
import tilelang.language as T
import tvm_ffi
from exchange_tensors import TABLE, Exchanged, open_short_way
from fake_gpu import OnGpu, launches
from tilelang._ffi import fn

n = T.dynamic("n")


@T.prim_func
def two_steps(A: T.Tensor((n,), "float32"), count: T.int32):
    W = T.alloc_global((n * 2,), "float32")
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            W[bx * 128 + i] = A[bx * 128 + i]
    for k in T.serial(count):
        with T.Kernel(k, threads=64) as bx:
            A[bx] = W[bx + k]


@T.prim_func
def together(A: T.Tensor((n,), "float32")):
    with T.Kernel(n, threads=128) as bx:
        A[bx] = A[bx] + 1
        T.sync_grid()
        A[bx] = A[n - 1 - bx]


@T.prim_func
def at_addresses(p: T.ptr, q: T.ptr, count: T.int32):
    A, B = T.make_tensor(p, (count,), "float32"), T.make_tensor(q, (count,), "float32")
    with T.Kernel(1, threads=128):
        for i in T.Parallel(4096):
            B[i] = A[i]


def load_on_device(function, words: dict[str, int]):
    """The function as compiled for a GPU, with a binary that the fake driver takes; kernels by their number of
    words."""
    artifact = fn.artifact_compile(function.handle, "sm_90a", {}, "")[0]
    files = {str(name): bytes(content) for name, content in fn.artifact_files(artifact).items()}
    binary = "".join(f"{name} {count}\n" for name, count in words.items()).encode()
    files["kernel.cubin"] = binary
    if len(json.loads(files["params.json"])["variants"]) == 2:
        files["kernel_1.cubin"] = binary
    return fn.kernel_load(fn.artifact_load(files))


def on_device(function, words: dict[str, int]):
    """The call of it that takes all arguments."""
    return load_on_device(function, words)[0]


ALLOCATOR = """
#include <dlpack/dlpack.h>
#include <cstring>
static DLManagedTensorVersioned given[16];
static int count = 0, living = 0, device = -1, fails = 0, off = 0;
static int64_t bytes[16];
extern "C" int allocate(DLTensor* wanted, DLManagedTensorVersioned** out, void* context,
                        void (*error)(void*, const char*, const char*)) {
  if (fails) return error(context, "OutOfMemoryError", "all is used\\nand more lines"), -1;
  DLManagedTensorVersioned* made = &given[count];
  std::memset(made, 0, sizeof *made);
  made->dl_tensor = *wanted;
  made->dl_tensor.data = reinterpret_cast<void*>(uint64_t(0x700000) + uint64_t(count) * 0x1000 + off);
  made->deleter = [](DLManagedTensorVersioned*) { --living; };
  device = wanted->device.device_id;
  bytes[count++] = wanted->shape[0];
  ++living;
  *out = made;
  return 0;
}
extern "C" int living_now() { return living; }
extern "C" int device_asked() { return device; }
extern "C" int64_t bytes_of(int i) { return i < count ? bytes[i] : -1; }
extern "C" void behave(int failing, int offset) { fails = failing, off = offset; }
"""


@pytest.fixture(scope="module")
def framework_library(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("framework")
    source, out = folder / "framework.cpp", folder / "framework.so"
    source.write_text(ALLOCATOR)
    include = Path(tvm_ffi.__file__).parent / "include"
    subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", f"-I{include}", "-o", out, source], check=True)
    return out


@pytest.fixture
def framework(framework_library, tmp_path):
    """An allocator as PyTorch's, set for this thread as a call with its tensors does."""
    own = tmp_path / "framework.so"
    own.write_bytes(framework_library.read_bytes())
    loaded = ctypes.CDLL(str(own))
    loaded.bytes_of.restype = ctypes.c_int64
    set_allocator = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi()).TVMFFIEnvSetDLPackManagedTensorAllocator
    set_allocator.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    before = ctypes.c_void_p()
    assert set_allocator(ctypes.cast(loaded.allocate, ctypes.c_void_p), 0, ctypes.byref(before)) == 0
    yield loaded
    assert set_allocator(before, 0, None) == 0


def test_launches_in_order_with_scalars_between_them(driver) -> None:
    call = on_device(two_steps, {"two_steps_kernel": 3, "two_steps_kernel_1": 3})
    a = OnGpu(300)
    call(0, a, 3)
    found = launches(driver)
    # The grid of k = 0 is empty.
    assert [(launch[0], launch[3], launch[4]) for launch in found] == [
        ("two_steps_kernel", 3, 128),
        ("two_steps_kernel_1", 1, 64),
        ("two_steps_kernel_1", 2, 64),
    ]
    assert all(launch[5] == a.address for launch in found)
    assert len({launch[6] for launch in found}) == 1, "one workspace"
    assert driver.tl_fake_cuda_calls(b"cuMemAllocAsync") == driver.tl_fake_cuda_calls(b"cuMemFreeAsync") == 1
    call(0, OnGpu(0), 0)
    assert len(launches(driver)) == 3


def test_workspaces_come_from_the_framework(driver, framework) -> None:
    call = on_device(two_steps, {"two_steps_kernel": 3, "two_steps_kernel_1": 3})
    for device in (1, 0):
        call(0, OnGpu(300, device), 1)
        assert framework.device_asked() == device
    assert [framework.bytes_of(i) for i in range(3)] == [2400, 2400, -1]
    assert [launch[6] for launch in launches(driver)] == [0x700000, 0x701000]
    assert framework.living_now() == 0 and driver.tl_fake_cuda_calls(b"cuMemAllocAsync") == 0


def test_workspaces_of_the_short_way_come_from_the_tensors_framework(driver, framework_library, tmp_path, monkeypatch):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        W = T.alloc_global((n,), "float32")
        with T.Kernel(n, threads=32) as bx:
            W[bx] = A[bx]
        with T.Kernel(n, threads=32) as bx:
            A[bx] = W[n - 1 - bx]

    own = tmp_path / "framework.so"
    own.write_bytes(framework_library.read_bytes())
    loaded = ctypes.CDLL(str(own))
    monkeypatch.setattr(TABLE, "allocate", ctypes.cast(loaded.allocate, ctypes.c_void_p).value)
    open_short_way()
    made: list = []
    make_short = load_on_device(main, {"main_kernel": 3, "main_kernel_1": 3})[2]
    make_short(id(made), id(print), id(fn.raise_pending))
    assert made[0](Exchanged(300, 1)) == []
    assert [launch[1:3] + launch[6:7] for launch in launches(driver)] == [[1, Exchanged.stream(1), 0x700000]] * 2
    assert loaded.device_asked() == 1 and loaded.living_now() == 0
    assert driver.tl_fake_cuda_calls(b"cuMemAllocAsync") == 0


def test_memory_that_is_not_aligned_is_not_taken(driver, framework) -> None:
    framework.behave(0, 64)
    on_device(two_steps, {"two_steps_kernel": 3, "two_steps_kernel_1": 3})(0, OnGpu(300), 1)
    assert framework.living_now() == 0 and driver.tl_fake_cuda_calls(b"cuMemAllocAsync") == 1


def test_a_framework_without_memory(driver, framework) -> None:
    framework.behave(1, 0)
    call = on_device(two_steps, {"two_steps_kernel": 3, "two_steps_kernel_1": 3})
    with pytest.raises(
        RuntimeError, match=r"\[TL094\]: cannot allocate a workspace of 2400 bytes for kernel two_steps"
    ) as e:
        call(0, OnGpu(300), 1)
    assert "says: OutOfMemoryError: all is used\n" in str(e.value)
    assert launches(driver) == []
    framework.behave(0, 0)
    call(0, OnGpu(300), 1)
    assert len(launches(driver)) == 1


def test_programs_that_wait_are_launched_together(driver, framework) -> None:
    call = on_device(together, {"together_kernel": 3})
    a = OnGpu(100, 1)
    call(0, a)
    ((name, device, _, grid, _, address, extent, state),) = launches(driver)
    assert (name, device, grid, address, extent) == ("together_kernel", 1, 100, a.address, 100)
    assert state == 0x700000 and driver.tl_fake_cuda_calls(b"cuLaunchCooperativeKernel") == 1
    with pytest.raises(
        RuntimeError, match=r"\[TL091\]: grid of together_kernel is too large for T.sync_grid.*holds 264"
    ):
        call(0, OnGpu(265))
    call(0, OnGpu(0))
    assert len(launches(driver)) == 1 and framework.living_now() == 0


def test_addresses_run_on_the_current_device_and_choose_the_variant(driver) -> None:
    call = on_device(at_addresses, {"at_addresses_kernel": 3})
    driver.tl_fake_cuda_set_current(1)
    call(0, 0x4000, 0x8000, 7)
    call(0, 0x4000, 0x8004, 7)
    a = OnGpu(64, 0)
    call(0, 0x4000, a, 7)
    first, second, third = launches(driver)
    assert first[1:] == [1, 0, 1, 128, 7, 0x4000, 0x8000] and second[7] == 0x8004
    assert third[1] == 0 and third[7] == a.address
    assert driver.tl_fake_cuda_calls(b"cuModuleLoadData") == 3, "two variants on device 1, one on device 0"
    with pytest.raises(RuntimeError, match=r"\[TL105\]"):
        call(0, 0x4002, 0x8000, 7)
    with pytest.raises(RuntimeError, match=r"\[TL107\]"):
        call(0, 0, 0x8000, 7)
    with pytest.raises(RuntimeError, match=r"\[TL106\]"):
        call(0, OnGpu(64, 1), a, 7)
