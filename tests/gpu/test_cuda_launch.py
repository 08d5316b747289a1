"""The runtime's half of a launch on a GPU, with kernels written by hand: what the fake driver of the unit tests only
claims."""

from __future__ import annotations

import threading

import pytest
from handmade_artifact import build, extent_slot, launch, load, pointer, scalar, tensor
from tilelang._ffi import fn

torch = pytest.importorskip("torch")

FILL = """extern "C" __global__ void fill_kernel(float* A, float value, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) A[i] = value;
}
"""


def fill():
    """fill(A: float32[n], value: float32)."""
    return build(
        FILL,
        [tensor("A", "float32", "$0"), scalar("value", "float32")],
        [("fill_kernel", [128, 1, 1], 0)],
        [launch(0, [["param", 0], ["param", 1], ["slot", 0]], ("$0 127 + 128 //", 1, 1))],
        bindings=(extent_slot(0, 0),),
    )


def test_extents_and_empty_tensors() -> None:
    call = load(fill())
    for n in (1, 127, 128, 1000, 0):
        a = torch.zeros(n + 8, device="cuda")
        call(0, a[:n], 2.5)
        assert (a[:n] == 2.5).all() and (a[n:] == 0).all()


SCALARS = {
    "int8": ("signed char", -100),
    "uint8": ("unsigned char", 200),
    "int16": ("short", -30000),
    "uint16": ("unsigned short", 60000),
    "int32": ("int", -2000000000),
    "uint32": ("unsigned", 4000000000),
    "int64": ("long long", -(2**62)),
    "float32": ("float", 0.1),
    "float64": ("double", 0.1),
    "bool": ("bool", True),
}


@pytest.mark.parametrize("dtype", SCALARS)
def test_scalars_of_every_width(dtype: str) -> None:
    """A parameter is read from its word as wide as the kernel declares it."""
    c_type, value = SCALARS[dtype]
    source = f'extern "C" __global__ void k(double* out, {c_type} s, int mark) {{ out[0] = s; out[1] = mark; }}'
    params = [tensor("out", "float64", 2), scalar("s", dtype), scalar("mark", "int32")]
    built = build(source, params, [("k", [1, 1, 1], 0)], [launch(0, [["param", 0], ["param", 1], ["param", 2]])])
    out = torch.zeros(2, dtype=torch.float64, device="cuda")
    load(built)(0, out, value, 77)
    expected = torch.tensor(value, dtype=torch.float32).double().item() if dtype == "float32" else float(value)
    assert out.tolist() == [expected, 77.0]


def test_the_most_shared_memory() -> None:
    source = """extern "C" __global__ void k(float* out) {
      extern __shared__ float s[];
      s[50000 + threadIdx.x] = threadIdx.x;
      __syncthreads();
      out[threadIdx.x] = s[50031 - threadIdx.x];
    }"""
    bytes_wanted = 50032 * 4
    if torch.cuda.get_device_properties(0).shared_memory_per_block_optin < bytes_wanted:
        pytest.skip("a GPU with less shared memory")
    call = load(build(source, [tensor("out", "float32", 32)], [("k", [32, 1, 1], bytes_wanted)],
                      [launch(0, [["param", 0]])]))  # fmt: skip
    out = torch.zeros(32, device="cuda")
    call(0, out)
    assert out.tolist() == list(range(31, -1, -1))


def test_grids_beyond_the_device() -> None:
    params = [tensor("A", "float32", 4)]
    steps = [launch(0, [["param", 0]], (1, 65536, 1))]
    built = build('extern "C" __global__ void k(float*) {}', params, [("k", [1, 1, 1], 0)], steps)
    with pytest.raises(RuntimeError, match=r"\[TL091\]: grid of k is larger than") as error:
        load(built)(0, torch.zeros(4, device="cuda"))
    assert "(1, 65536, 1)" in str(error.value)


def test_a_launch_that_the_driver_refuses() -> None:
    """More threads than any block may have. The error is the driver's; later calls work."""
    params, steps = [tensor("A", "float32", 4)], [launch(0, [["param", 0]])]
    source = 'extern "C" __global__ void k(float* A) { A[threadIdx.x & 3] = 5; }'
    a = torch.zeros(4, device="cuda")
    with pytest.raises(RuntimeError, match=r"\[TL094\]: cannot launch kernel handmade: CUDA_ERROR_INVALID_VALUE"):
        load(build(source, params, [("k", [2048, 1, 1], 0)], steps))(0, a)
    torch.cuda.synchronize()
    load(build(source, params, [("k", [4, 1, 1], 0)], steps))(0, a)
    assert a.tolist() == [5.0] * 4


def test_workspaces_and_two_kernels() -> None:
    source = """extern "C" __global__ void first(float* w, int n) { w[threadIdx.x] = threadIdx.x * n; }
    extern "C" __global__ void second(const float* w, float* out) { out[threadIdx.x] = w[31 - threadIdx.x]; }"""
    built = build(
        source,
        [tensor("out", "float32", 32), scalar("n", "int32")],
        [("first", [32, 1, 1], 0), ("second", [32, 1, 1], 0)],
        [launch(0, [["workspace", 0], ["param", 1]]), launch(1, [["workspace", 0], ["param", 0]])],
        workspaces=("128",),
    )
    call, out = load(built), torch.zeros(32, device="cuda")
    for n in range(1, 50):
        call(0, out, n)
    assert out.tolist() == [49.0 * i for i in range(31, -1, -1)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call(0, out, 3)
    out.zero_()
    graph.replay()
    graph.replay()
    assert out.tolist() == [3.0 * i for i in range(31, -1, -1)]


def test_graphs_outlive_the_kernel() -> None:
    """Code that a graph launches stays loaded after its kernel is gone."""
    call, a = load(fill()), torch.zeros(1000, device="cuda")
    call(0, a, 1.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call(0, a, 6.0)
    del call
    a.zero_()
    graph.replay()
    assert (a == 6).all()


def test_pointers_and_threads_without_a_context() -> None:
    """A thread that has not used CUDA runs on device 0, and a raw address is an argument."""
    source = 'extern "C" __global__ void k(int* p) { atomicAdd(p, 1); }'
    call = load(build(source, [pointer("p")], [("k", [1, 1, 1], 0)], [launch(0, [["param", 0]])]))
    count = torch.zeros(1, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    threads = [threading.Thread(target=lambda: [call(0, count.data_ptr()) for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()
    assert count.item() == 800


def test_devices_agree_with_pytorch() -> None:
    rows = [list(row) for row in fn.cuda_devices()]
    assert len(rows) == torch.cuda.device_count()
    for index, name, capability, _, memory, multiprocessors in rows:
        properties = torch.cuda.get_device_properties(int(index))
        assert (str(name), str(capability)) == (properties.name, f"{properties.major}.{properties.minor}")
        assert int(memory) == properties.total_memory
        assert int(multiprocessors) == properties.multi_processor_count


def test_the_message_of_a_lost_context() -> None:
    """In a process of its own: an access out of bounds, then the call that learns of it."""
    import subprocess
    import sys
    from pathlib import Path

    program = f"""
import sys, torch
sys.path.insert(0, {str(Path(__file__).parent)!r})
from handmade_artifact import build, launch, load, tensor
call = load(build('extern "C" __global__ void k(float* p) {{ p[1ll << 40] = 1; }}', [tensor("A", "float32", 4)],
                  [("k", [1, 1, 1], 0)], [launch(0, [["param", 0]])]))
a = torch.zeros(4, device="cuda")
call(0, a)
try:
    torch.cuda.synchronize()
except Exception:
    pass
try:
    call(0, a)
except RuntimeError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "[TL094]" in result.stdout and "the error stays" in result.stdout, result.stdout + result.stderr
