"""Chains of element-wise statements, and names at a point, on a CUDA device."""

import pytest
import tilelang
import tilelang.language as T

torch = pytest.importorskip("torch")


def axpy(n, dtype="float32", block=512, threads=128):
    """C = 2 A + B by way of tiles; the last program sticks out where `block` does not divide `n`."""

    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as bx:
            a = T.alloc_shared((block,), dtype)
            b = T.alloc_fragment((block,), dtype)
            c = T.alloc_fragment((block,), "float32")
            T.copy(A[bx * block], a)
            T.copy(B[bx * block], b)
            for i in T.Parallel(block):
                x = T.cast(a[i], "float32")
                c[i] = x + x
            for i in T.Parallel(block):
                c[i] += T.cast(b[i], "float32")
            T.copy(c, C[bx * block])

    return main


def expected(a, b, dtype):
    return (2 * a.double() + b.double()).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("n", [1, 7, 511, 512, 513, 65_536, 100_003])
def test_tails(n, dtype):
    kernel = tilelang.compile(axpy(n, dtype), target="cuda")
    a, b = (torch.randn(n + 3, device="cuda").to(getattr(torch, dtype)) for _ in range(2))
    for start in (0, 1, 3):
        c = torch.full((n + 8,), float("nan"), device="cuda", dtype=a.dtype)
        kernel(a[start : start + n], b[:n], c[:n])
        torch.testing.assert_close(c[:n], expected(a[start : start + n], b[:n], dtype), rtol=1e-2, atol=1e-6)
        assert c[n:].isnan().all()


def test_arguments_that_share_memory():
    """Statements are one after the other, whatever the arguments: all of a tile is read before any of it is written."""
    n = 512
    kernel = tilelang.compile(axpy(n), target="cuda")
    for shift in (0, 4, 5, -4, 16, 508, -508):
        memory = torch.randn(3 * n, device="cuda")
        a, c, b = memory[n : 2 * n], memory[n + shift : 2 * n + shift], torch.randn(n, device="cuda")
        wanted = expected(a.clone(), b, "float32")
        kernel(a, b, c)
        torch.testing.assert_close(c, wanted, rtol=1e-6, atol=1e-6)


def test_names_of_a_point():
    n = 4096

    @T.prim_func
    def main(
        A: T.Tensor((n,), "float32"),
        I: T.Tensor((n,), "int32"),
        C: T.Tensor((n,), "float32"),
        D: T.Tensor((n,), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, 1024), threads=256) as bx:
            for i in T.Parallel(1024):
                at = bx * 1024 + i
                j = I[at]
                x = A[j]
                y = x * x
                C[at] = y * y + A[at]
            for i in T.Parallel(1024):
                x = A[bx * 1024 + i]
                C[bx * 1024 + i] += x
                D[bx * 1024 + i] = x

    kernel = tilelang.compile(main, target="cuda")
    a, index = torch.randn(n, device="cuda"), torch.randint(0, n, (n,), device="cuda", dtype=torch.int32)
    c, d = torch.empty(n, device="cuda"), torch.empty(n, device="cuda")
    kernel(a, index, c, d)
    torch.testing.assert_close(c, (a.double()[index.long()] ** 4 + 2 * a).float(), rtol=1e-5, atol=1e-5)
    assert torch.equal(d, a)
    # `x` is what A held before C, in its place, changed it.
    e = a.clone()
    kernel(e, torch.arange(n, device="cuda", dtype=torch.int32), e, d)
    torch.testing.assert_close(d, (a.double() ** 4 + a).float(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(e, 2 * (a.double() ** 4 + a).float(), rtol=1e-5, atol=1e-5)


def test_two_halves_of_a_row():
    """Rotary embedding: a point reads and writes two elements of its row."""
    rows, width, block = 333, 128, 32

    @T.prim_func
    def main(
        X: T.Tensor((rows, width), "float16"),
        cosine: T.Tensor((rows, width // 2), "float32"),
        sine: T.Tensor((rows, width // 2), "float32"),
        Y: T.Tensor((rows, width), "float16"),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            for i, j in T.Parallel(block, width // 2):
                row = bx * block + i
                a = T.cast(X[row, j], "float32")
                b = T.cast(X[row, j + width // 2], "float32")
                Y[row, j] = T.cast(a * cosine[row, j] - b * sine[row, j], "float16")
                Y[row, j + width // 2] = T.cast(b * cosine[row, j] + a * sine[row, j], "float16")

    kernel = tilelang.compile(main, target="cuda")
    x, angle = torch.randn(rows, width, device="cuda").half(), torch.rand(rows, width // 2, device="cuda")
    a, b, cosine, sine = *x.double().chunk(2, 1), angle.cos().double(), angle.sin().double()
    wanted = torch.cat((a * cosine - b * sine, b * cosine + a * sine), 1).half()
    for y in (torch.empty_like(x), x):  # in place too: names are evaluated before anything is stored
        kernel(x, angle.cos(), angle.sin(), y)
        torch.testing.assert_close(y, wanted, rtol=2e-3, atol=1e-4)
