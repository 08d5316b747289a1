"""Prefix sums and maxima on a CUDA device, with any number of threads."""

import pytest
import tilelang
import tilelang.language as T

torch = pytest.importorskip("torch")


def scanned(rows, columns, threads, kind, reverse, dtype, fragments):
    scan = {"sum": T.cumsum, "max": T.cummax}[kind]
    alloc = T.alloc_fragment if fragments else T.alloc_shared

    @T.prim_func
    def main(A: T.Tensor((rows, columns), dtype), B: T.Tensor((rows, columns), dtype)):
        with T.Kernel(1, threads=threads):
            tile = alloc((rows, columns), dtype)
            T.copy(A, tile)
            scan(tile, dim=1, reverse=reverse)
            T.copy(tile, B)

    return main


@pytest.mark.parametrize("threads", [1, 31, 32, 96, 100, 256, 1000, 1024])
@pytest.mark.parametrize(("kind", "reverse"), [("sum", False), ("sum", True), ("max", False), ("max", True)])
def test_any_number_of_threads(threads, kind, reverse):
    for rows, columns, dtype, fragments in (
        (1, 1023, "float32", False),
        (3, 517, "float16", True),
        (70, 33, "int32", False),
    ):
        a = (torch.randn(rows, columns, device="cuda") * 8).to(getattr(torch, dtype))
        b = torch.empty_like(a)
        tilelang.compile(scanned(rows, columns, threads, kind, reverse, dtype, fragments), target="cuda")(a, b)
        wide = a.double().flip(1) if reverse else a.double()
        wanted = wide.cumsum(1) if kind == "sum" else wide.cummax(1).values
        wanted = (wanted.flip(1) if reverse else wanted).to(a.dtype)
        torch.testing.assert_close(b, wanted, rtol=1e-3 if dtype == "float16" else 1e-5, atol=1e-3)
