"""What programs compute on a CUDA device, against float64, at sizes that divide nothing."""

from __future__ import annotations

import importlib

import pytest
import tilelang
from device_programs import add, dynamic_scale, low_bytes, strided

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["vector_add", "quickstart", "softmax", "rmsnorm", "transpose"])
def test_examples_check_themselves(name):
    importlib.import_module(name).check()


@pytest.mark.parametrize("shape", [(1, 1, 1), (65, 63, 7), (33, 129, 100), (64, 1, 64), (256, 256, 256)])
def test_gemm(shape):
    importlib.import_module("quickstart").check(*shape)


@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (33, 63), (64, 129), (128, 4096)])
def test_rows_and_transpose(shape):
    importlib.import_module("transpose").check(*shape)
    importlib.import_module("softmax").check(*shape, 4)
    importlib.import_module("rmsnorm").check(*shape, 4)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("n", [1, 255, 1024, 100_003])
def test_sums_of_every_type(dtype, n):
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        a, b = (torch.randn(n, device="cuda").to(kind) for _ in range(2))
    else:
        a, b = (torch.randint(0, 60, (n,), device="cuda").to(kind) for _ in range(2))
    c = torch.full_like(a, 77)
    tilelang.compile(add(n, dtype))(a, b, c)
    assert torch.equal(c, a + b), "one rounding, as PyTorch's"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_bytes_of_a_float(dtype):
    kernel = tilelang.compile(low_bytes(1000, dtype))
    a, b = torch.randn(1000, device="cuda") * 100, torch.zeros(1000, dtype=torch.int8, device="cuda")
    kernel(a, b)
    assert torch.equal(b, a.to(getattr(torch, dtype)).view(torch.int16).to(torch.int8))


@pytest.mark.parametrize("threads", [1, 32, 33, 96, 256, 1024])
def test_any_number_of_threads(threads):
    a, b = torch.randn(2, 5000, device="cuda")
    c = torch.full_like(a, float("nan"))
    tilelang.compile(add(5000, threads=threads))(a, b, c)
    assert torch.equal(c, a + b)


def test_unaligned_views():
    """Pointers that are no multiple of a vector take another variant."""
    base = torch.randn(3, 10_007, device="cuda")
    kernel = tilelang.compile(add(10_000))
    for first in range(5):
        a, b = base[0, first : first + 10_000], base[1, 1:10_001]
        c = torch.full((10_007,), float("nan"), device="cuda")
        kernel(a, b, c[first : first + 10_000])
        assert torch.equal(c[first : first + 10_000], a + b)
        assert c[:first].isnan().all() and c[first + 10_000 :].isnan().all(), "nothing is written beside the output"


def test_overlapping_arguments():
    a = torch.randn(4097, device="cuda")
    want = a + a
    tilelang.compile(add(4097))(a, a, a)
    assert torch.equal(a, want)


def test_symbolic_sizes_and_scalars():
    kernel = tilelang.compile(dynamic_scale())
    for n in (1, 255, 256, 257, 1_000_003):
        a = torch.randn(n, device="cuda")
        b = torch.full_like(a, float("nan"))
        kernel(a, 2.5, b)
        assert torch.equal(b, a * 2.5)
    kernel(torch.empty(0, device="cuda"), 1.0, torch.empty(0, device="cuda"))


def test_declared_strides():
    a = torch.randn(17, 2 * 77, device="cuda")[:, :77]
    b = torch.full((17,), float("nan"), device="cuda")
    tilelang.compile(strided(17, 77))(a, b)
    assert torch.allclose(b.double(), a.double().sum(1), rtol=1e-5, atol=1e-5)


def test_more_than_2_to_the_31_elements():
    n = (1 << 31) + 1027
    if torch.cuda.mem_get_info()[0] < 3.5 * n:
        pytest.skip("needs 7 GB of device memory")
    a = torch.ones(n, dtype=torch.int8, device="cuda")
    c = torch.zeros_like(a)
    tilelang.compile(add(n, "int8"))(a, a, c)
    assert int(c[-1]) == 2 and bool((c == 2).all())
