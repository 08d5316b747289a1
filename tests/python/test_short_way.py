"""The short way of a call, with PyTorch's tensors on the host: it is taken, changes nothing and leaves nothing."""

from __future__ import annotations

import io
import sys

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T
from tilelang.jit import JITKernel
from tilelang.jit.call import Caller

torch = pytest.importorskip("torch")


@pytest.fixture
def long_calls(monkeypatch):
    """The arguments of every call that goes the long way, of kernels that are loaded from now on."""
    calls = []
    call = Caller.call

    def counted(self, *args, **keywords):
        calls.append(args)
        return call(self, *args, **keywords)

    monkeypatch.setattr(Caller, "call", counted)
    return calls


@pytest.fixture
def scale(long_calls):
    """B = A * 2, both float32 (8, 16), which has been called once."""
    kernel = loaded(kernels.scale())
    kernel(torch.zeros(8, 16), torch.nn.Parameter(torch.zeros(8, 16), requires_grad=False))  # classes become known
    long_calls.clear()
    return kernel


def loaded(function, **options):
    """A kernel that no other test has."""
    return JITKernel(function, target="c", **options)


def tensors():
    return torch.rand(8, 16), torch.zeros(8, 16)


def test_it_is_taken(scale, long_calls):
    a, b = tensors()
    assert scale(a, b) == [] and torch.equal(b, a * 2)
    no_keywords: dict = {}
    assert scale(a, b, **no_keywords) == [] and scale(torch.nn.Parameter(a), b) == []
    assert scale(a[:], b) == [] and scale(torch.rand(24, 16)[8:16], b) == []
    assert long_calls == []


def test_results_are_lists_of_their_own(scale):
    a, b = tensors()
    first = scale(a, b)
    first.append(1)
    assert scale(a, b) == []


class Tagged(torch.Tensor):
    """A subclass as users write them."""


def test_what_else_there_is_goes_the_long_way(scale, long_calls):
    a, b = tensors()
    for args in ((a.as_subclass(Tagged), b), (a.numpy(), b), (a, b.numpy())):
        b.zero_()
        assert scale(*args) == [] and torch.equal(b, a * 2)
    assert len(long_calls) == 3


def test_gradients_and_negative_views_are_read_where_they_lie(scale, long_calls):
    a, b = tensors()
    scale(a.clone().requires_grad_(), b)
    assert torch.equal(b, a * 2)
    view = torch.complex(a, a).conj().imag
    assert view.is_neg()
    results = []
    for call in (scale, scale._caller.call):
        packed = torch._neg_view(a)
        call(packed, b)
        results.append(b.clone())
    assert torch.equal(*results)


def wrong(case: str) -> tuple:
    a, b = tensors()
    return {
        "one too few": (a,),
        "one too many": (a, b, b),
        "none": (),
        "dtype": (a, b.double()),
        "dtype without a name": (a.to(torch.complex64), b),
        "quantized": (torch.quantize_per_tensor(a, 0.1, 0, torch.qint8), b),
        "rank": (a[0], b),
        "shape": (torch.zeros(8, 17), b),
        "strides": (torch.zeros(8, 32)[:, ::2], b),
        "transposed": (torch.zeros(16, 8).t(), b),
        "meta": (a, torch.empty(8, 16, device="meta")),
        "sparse": (a.to_sparse(), b),
        "None": (a, None),
        "a number": (a, 3),
        "a list": (a, [1.0]),
        "NumPy's of another type": (a, np.zeros((8, 16))),
    }[case]


CASES = (
    "one too few,one too many,none,dtype,dtype without a name,quantized,rank,shape,strides,transposed,meta,sparse,None,"
    "a number,a list,NumPy's of another type"
).split(",")


def error_of(call) -> BaseException:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_of_the_long_way(scale, case):
    args = wrong(case)
    short, long = error_of(lambda: scale(*args)), error_of(lambda: scale._caller.call(*args))
    assert type(short) is type(long)
    # PyTorch's own errors end in a C++ backtrace.
    assert str(short).partition("\nException raised")[0] == str(long).partition("\nException raised")[0]
    assert short.__cause__ is None and short.__suppress_context__
    a, b = tensors()
    scale(a, b)
    assert torch.equal(b, a * 2)


def test_keywords(scale):
    a, b = tensors()
    with pytest.raises(TypeError, match=r"k\(\) got an unexpected keyword argument `B`"):
        scale(a, B=b)


def test_tensors_of_transformed_functions(scale):
    """They are of PyTorch's class, but have no memory."""
    a, b = tensors()
    caught = []

    def inside(x):
        for call in (scale, scale._caller.call):
            caught.append(error_of(lambda: call(x, b)))
        return x

    torch.func.vmap(inside)(a.expand(2, 8, 16))
    assert [type(e) for e in caught] == [RuntimeError] * 2 and "storage" in str(caught[0])


def says(text: str = "ran"):
    @T.prim_func
    def k(A: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=1):
            T.print(A[0], msg=text)
            T.device_assert(A[0] > 0, "is positive")

    return k


class Output(io.StringIO):
    """Calls a function at every write."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def write(self, text):
        self.function()
        return super().write(text)


def test_errors_of_a_run(long_calls):
    kernel = loaded(says())
    kernel(torch.ones(4))
    long_calls.clear()
    short = error_of(lambda: kernel(torch.zeros(4)))
    assert long_calls == []
    long = error_of(lambda: kernel._caller.call(torch.zeros(4)))
    assert isinstance(short, tilelang.TileLangError) and type(short) is type(long) and str(short) == str(long)
    assert "test_short_way.py" in str(short) and "is positive" in str(short)


def test_errors_of_what_prints(long_calls, monkeypatch):
    def full():
        raise OSError(28, "no space left")

    kernel = loaded(says())
    kernel(torch.ones(4))
    long_calls.clear()
    monkeypatch.setattr(sys, "stdout", Output(full))
    short = error_of(lambda: kernel(torch.ones(4)))
    assert long_calls == []
    long = error_of(lambda: kernel._caller.call(torch.ones(4)))
    assert type(short) is type(long) and str(short) == str(long)


def test_outputs(long_calls):
    kernel = loaded(kernels.scale(), out_idx=[1])
    a, _ = tensors()
    assert torch.equal(kernel(a), a * 2)
    long_calls.clear()
    found = kernel(a)
    assert torch.equal(found, a * 2) and long_calls == []
    for args in ((), (a, a), (a.double(),), (torch.zeros(8, 17),)):
        short, long = error_of(lambda: kernel(*args)), error_of(lambda: kernel._caller.call(*args))
        assert type(short) is type(long) and str(short) == str(long)


def test_subclasses_of_the_kernel(scale):
    class Timed(JITKernel):
        calls = 0

        def __call__(self, *args):
            self.calls += 1
            return super().__call__(*args)

    kernel = Timed(kernels.scale(), target="c")
    a, b = tensors()
    assert kernel(a, b) == [] and kernel.calls == 1 and torch.equal(b, a * 2)
