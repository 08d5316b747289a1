"""Host time of a kernel call with three tensors, beside a bare loop of `cuLaunchKernel`; needs a GPU and PyTorch.

    python benchmarks/cuda/launch_overhead.py [--kernel-only]

Rows, in microseconds of the host for one call (median of rounds that alternate; the queue never fills, and waiting for
the GPU is outside of the time):

    bare            cuLaunchKernel of the same function in a loop of C++, with prepared parameters
    library         the function of `kernel_load` through tvm-ffi: arguments checked, stream looked up, launched
    GIL kept        the same without giving up Python's lock
    JITKernel       what a user calls, on its short way (left out with --kernel-only, or when it cannot be compiled)
    long way        the same kernel called as with arrays of any kind
    torch.add       PyTorch's own operation on the same tensors

The kernel does next to nothing, so that the GPU keeps up. A capture of ten calls in a CUDA graph is checked too.
"""

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tilelang
import torch
from tilelang._ffi import fn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "gpu"))
from handmade_artifact import build, launch, load, tensor

CALLS, ROUNDS, EXTENT = 500, 41, 256

SOURCE = """extern "C" __global__ void __launch_bounds__(256) add_kernel(const float* A, const float* B, float* C) {
  C[threadIdx.x] = A[threadIdx.x] + B[threadIdx.x];
}
"""

# Launches a function in a loop through the driver alone: the least that a launch costs.
BARE = """#include <dlfcn.h>
#include <cstdint>
extern "C" int bare_load(const void* image, const char* name, void** function) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto load = (int (*)(void**, const void*))dlsym(driver, "cuModuleLoadData");
  auto get = (int (*)(void**, void*, const char*))dlsym(driver, "cuModuleGetFunction");
  void* module = nullptr;
  if (int error = load(&module, image)) return error;
  return get(function, module, name);
}
extern "C" int bare_loop(void* function, void* stream, uint64_t a, uint64_t b, uint64_t c, int calls) {
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                         void**);
  static Launch launch = (Launch)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuLaunchKernel");
  void* params[] = {&a, &b, &c};
  for (int i = 0; i < calls; ++i) {
    if (int error = launch(function, 1, 1, 1, 256, 1, 1, 0, stream, params, nullptr)) return error;
  }
  return 0;
}
"""


def artifact():
    """The kernel above as an artifact, compiled for device 0."""
    params = [tensor(name, "float32", EXTENT) for name in "ABC"]
    steps = [launch(0, [["param", i] for i in range(3)])]
    return build(SOURCE, params, [("add_kernel", [EXTENT, 1, 1], 0)], steps)


def bare_calls(cubin: bytes, tensors):
    """A function that launches CALLS times from C++."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "bare.cpp"), Path(folder, "bare.so")
        source.write_text(BARE)
        subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        loaded = ctypes.CDLL(str(library))
    function = ctypes.c_void_p()
    assert loaded.bare_load(cubin, b"add_kernel", ctypes.byref(function)) == 0
    words = [ctypes.c_uint64(t.data_ptr()) for t in tensors]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def run():
        assert loaded.bare_loop(function, stream, *words, CALLS) == 0

    return run


def jit_kernel():
    """The same program through the front end; None where this version cannot compile it."""
    import add_kernel_program

    try:
        return tilelang.compile(add_kernel_program.add, target="cuda")
    except Exception as error:
        print(f"no JITKernel: {error}")
        return None


def repeated(call, *arguments):
    """A function that makes CALLS calls."""

    def run():
        for _ in range(CALLS):
            call(*arguments)

    return run


def measure(rows: dict) -> dict:
    """Microseconds a call: medians over rounds in which all rows take turns."""
    taken = {name: [] for name in rows}
    for run in rows.values():
        run()
    for _ in range(ROUNDS):
        for name, run in rows.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            run()
            taken[name].append((time.perf_counter() - start) / CALLS * 1e6)
    torch.cuda.synchronize()
    return {name: statistics.median(times) for name, times in taken.items()}


def check_graph(call, a, b, c) -> None:
    """Ten calls in a captured graph do what they do outside of it, on a stream of its own."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(10):
            call(a, b, c)
    c.zero_()
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)
    print("graph of ten calls: right")


def check_stream(call, a, b, c) -> None:
    """A call goes into PyTorch's current stream: behind a long wait there, it has not run yet."""
    stream = torch.cuda.Stream()
    c.zero_()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        call(a, b, c)
        waiting = not stream.query()
    default_is_idle = torch.cuda.default_stream().query()
    torch.cuda.synchronize()
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)
    print("current stream:", "right" if waiting and default_is_idle else "WRONG")


def main() -> None:
    """Prints the table."""
    torch.cuda.init()
    tensors = a, b, c = [torch.randn(EXTENT, device="cuda") for _ in range(3)]
    built = artifact()
    call, locked = load(built), load(built)
    call.release_gil, locked.release_gil = True, False
    call(0, a, b, c)
    locked(0, a, b, c)
    torch.cuda.synchronize()
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)
    check_stream(lambda *t: call(0, *t), a, b, c)
    check_graph(lambda *t: call(0, *t), a, b, c)
    cubin = bytes(fn.artifact_files(built)["kernel.cubin"])
    rows = {"bare": bare_calls(cubin, tensors), "library": repeated(call, 0, a, b, c)}
    rows["GIL kept"] = repeated(locked, 0, a, b, c)
    if "--kernel-only" not in sys.argv and (kernel := jit_kernel()) is not None:
        kernel(a, b, c)
        rows["JITKernel"] = repeated(kernel, a, b, c)
        rows["long way"] = repeated(kernel._caller.call, a, b, c)
    rows["torch.add"] = repeated(lambda: torch.add(a, b, out=c))
    found = measure(rows)
    for name, microseconds in found.items():
        print(f"{name:10} {microseconds:7.3f} us   {microseconds - found['bare']:+7.3f} above bare")
    print("usage:", [list(row) for row in fn.artifact_usage(built)])
    print("device:", [list(row) for row in fn.cuda_devices()][0], "driver", int(fn.cuda_driver_version()))


if __name__ == "__main__":
    main()
