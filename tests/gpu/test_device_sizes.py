"""Kernels over run-time sizes: one that is compiled once gives the same numbers in the variant that each call takes."""

from __future__ import annotations

import pytest
import sized_programs as programs
import tilelang

torch = pytest.importorskip("torch")

SIZES = [1000, 1001, 1008, 1024, 1, 3, 4, 255, 257]


def random(*shape, dtype="float32", skipped: int = 0):
    """A tensor that begins `skipped` elements behind the start of its memory."""
    count = torch.Size(shape).numel()
    return torch.randn(count + skipped, device="cuda").to(getattr(torch, dtype))[skipped:].view(shape)


def empty_like(x):
    return torch.full_like(x, float("nan"))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_of_any_length(dtype):
    kernel = tilelang.compile(programs.add(dtype))
    for n in SIZES:
        for m in (1, 5, 64):
            a, b = random(m, n, dtype=dtype), random(m, n, dtype=dtype)
            c = empty_like(a)
            kernel(a, b, c)
            assert torch.equal(c, a + b), (m, n)
    variants = {row["variant"] for row in kernel.resource_usage.values()}
    assert variants == set(kernel.variants), "both were compiled, the second by the first call that took it"


def test_rows_that_begin_anywhere():
    kernel = tilelang.compile(programs.add())
    for skipped in (1, 2, 4):
        a, b = random(7, 1024, skipped=skipped), random(7, 1024)
        c = empty_like(a)
        kernel(a, b, c)
        assert torch.equal(c, a + b), skipped


def test_nothing_around_a_tensor_is_written():
    kernel = tilelang.compile(programs.add())
    for n in SIZES:
        memory = torch.full((9 * n + 64,), 7.0, device="cuda")
        a, b = random(9, n), random(9, n)
        c = memory[32 : 32 + 9 * n].view(9, n)
        kernel(a, b, c)
        assert torch.equal(c, a + b), n
        assert bool((memory[:32] == 7).all()) and bool((memory[32 + 9 * n :] == 7).all()), n


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_strides_of_the_call(dtype):
    kernel = tilelang.compile(programs.scaled_rows(dtype))
    for n in SIZES:
        wide = random(6, 2 * n + 8, dtype=dtype)
        y = torch.full((6, n), float("nan"), device="cuda", dtype=wide.dtype)
        for x in (
            wide[:, :n],
            wide[:, 1 : n + 1],
            wide[::2, :n].repeat(2, 1),
            wide[:, : 2 * n : 2],
            random(n, 6, dtype=dtype).T,
        ):
            kernel(x, y)
            assert torch.equal(y, x * 2), (n, x.stride())


def test_arguments_that_overlap():
    """In place, and one result for two arguments."""
    kernel = tilelang.compile(programs.add())
    for n in (1000, 1001):
        a, b = random(8, n), random(8, n)
        expected = a + b
        kernel(a, b, a)
        assert torch.equal(a, expected), n
        expected = b + b
        kernel(b, b, b)
        assert torch.equal(b, expected), n


@pytest.mark.parametrize("m", [1, 63, 64, 65, 1000])
def test_products_with_any_number_of_rows(m):
    a, b = (
        torch.randint(-4, 4, (m, 200), device="cuda").float(),
        torch.randint(-4, 4, (200, 136), device="cuda").float(),
    )
    c = torch.full((m, 136), float("nan"), device="cuda")
    _compiled_gemm()(a, b, c)
    assert torch.equal(c.double(), a.double() @ b.double())


def _compiled_gemm():
    return tilelang.compile(programs.gemm(136, 200))


@pytest.mark.parametrize("sizes", [(64, 64, 32), (100, 200, 300), (65, 63, 31), (1, 4, 4), (130, 68, 36)])
def test_products_of_any_size(sizes):
    m, n, k = sizes
    kernel = tilelang.compile(programs.gemm_all())
    a, b = torch.randint(-4, 4, (m, k), device="cuda").float(), torch.randint(-4, 4, (k, n), device="cuda").float()
    c = torch.full((m, n), float("nan"), device="cuda")
    kernel(a, b, c)
    assert torch.equal(c.double(), a.double() @ b.double())


def normalised(x, w):
    x = x.float()
    return x * torch.rsqrt((x * x).mean(dim=1, keepdim=True) + 1e-5) * w.float()


def test_norms_of_rows_of_any_length():
    kernel = tilelang.compile(programs.rmsnorm())
    for n in [*SIZES, 2048]:
        x, w = random(5, n, dtype="bfloat16"), random(n, dtype="bfloat16")
        y = empty_like(x)
        kernel(x, w, y)
        torch.testing.assert_close(y.float(), normalised(x, w), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("m", [0, 1, 5, 1000])
def test_norms_of_any_number_of_rows(m):
    kernel = tilelang.compile(programs.rmsnorm_rows(1024))
    x, w = random(m, 1024, dtype="bfloat16"), random(1024, dtype="bfloat16")
    y = empty_like(x)
    kernel(x, w, y)
    torch.testing.assert_close(y.float(), normalised(x, w), rtol=1e-2, atol=1e-2)


def test_more_elements_than_32_bits_count():
    """2^31 elements and a few: the variant with wide indices."""
    free, _total = torch.cuda.mem_get_info()
    m, n = (1 << 17) + 3, 16384
    if free < 3 * m * n * 2 + (1 << 30):
        pytest.skip("needs 13 GB of device memory")
    kernel = tilelang.compile(programs.add("float16", 2048))
    a = torch.empty((m, n), device="cuda", dtype=torch.float16).fill_(1)
    a[-1, -1] = 5
    c = torch.zeros_like(a)
    kernel(a, a, c)
    assert c[-1, -1].item() == 10 and c[0, 0].item() == 2 and bool((c[-2] == 2).all())
