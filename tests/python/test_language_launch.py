"""Launches, tensors and indexing as text IR, and what they refuse."""

from __future__ import annotations

import pytest
import tilelang.language as T
from tilelang.errors import JITNoBuilderError
from tracing import lines, refused, text

# Launch.


@pytest.mark.parametrize(
    "threads, shown", [(None, "[128, 1, 1]"), (33, "[33, 1, 1]"), ([8, 4], "[8, 4, 1]"), ((4, 4, 2), "[4, 4, 2]")]
)
def test_threads(threads, shown: str) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, threads=threads) as bx:
            A[bx] = T.get_thread_binding(0)

    assert f"threads={shown}" in kernel.script()


@pytest.mark.parametrize(
    "threads, fragment",
    [
        (0, "threads must be positive"),
        ([4, -1], "threads must be positive"),
        ("many", "threads must be an integer or a list of integers"),
        (T.dynamic("t"), "threads must be an integer or a list of integers"),
        ([1, 1, 1, 1], "threads must be an integer or a list of integers"),
    ],
)
def test_wrong_threads(threads, fragment: str) -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(4, threads=threads):  # refused
            A[0] = 1

    refused(kernel, ValueError, fragment)


def test_wrong_grids() -> None:
    def four(A: T.Tensor((4,), "float32")):
        with T.Kernel(1, 2, 3, 4):  # refused
            A[0] = 1

    def fraction(A: T.Tensor((4,), "float32")):
        with T.Kernel(1.5):  # refused
            A[0] = 1

    def negative(A: T.Tensor((4,), "float32")):
        with T.Kernel(-1):  # refused
            A[0] = 1

    def nested(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            with T.Kernel(1):  # refused
                A[0] = 1

    refused(four, ValueError, "at most 3 grid extents")
    refused(fraction, ValueError, "is not an integer")
    refused(negative, ValueError, "is negative")
    refused(nested, RuntimeError, "launches do not nest")


def test_coordinates() -> None:
    def kernel(A: T.Tensor((4, 4, 4), "int32")):
        with T.Kernel(4) as (b,):
            A[b, 0, 0] = len(b)
        with T.Kernel(2, 3, 4, threads=(8, 2)) as (x, y, z):
            frame = T.KernelLaunchFrame.Current()
            A[x, y, z] = frame.num_threads + T.get_thread_extent(1)
            A[z, y, x] = T.get_block_extents()[2] + T.get_thread_bindings()[2] + T.get_block_binding(1)
        with T.Kernel():
            A[0, 0, 0] = 5

    script = T.prim_func(kernel).script()
    assert "store %A, [%bx, 0, 0], 1" in script
    assert "store %A, [%bx_1, %by, %bz], 18" in script
    assert "4 + %tz_1 + %by" in script
    assert script.count("launch") == 3


def test_launches_under_host_control_flow() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        if n > 2:
            with T.Kernel(1):
                A[0] = 1
        for i in range(3):
            with T.Kernel(i):
                A[0] = 2

    assert T.prim_func(kernel).launches == 2


def test_statements_that_need_a_launch() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        T.clear(A)  # refused

    def thread(A: T.Tensor((4,), "float32")):
        A[0] = T.get_thread_binding()  # refused

    refused(kernel, RuntimeError, "needs an open `with T.Kernel(...)`")
    refused(thread, RuntimeError, "needs an open `with T.Kernel(...)`")


@pytest.mark.parametrize(
    "use",
    [
        lambda: T.Kernel(1),
        lambda: T.serial(4),
        lambda: T.alloc_shared((4,), "float32"),
        lambda: T.copy(T.Tensor((4,)), T.Tensor((4,))),
        lambda: T.const("M"),
        lambda: T.print(msg="x"),
    ],
)
def test_outside_a_kernel(use) -> None:
    with pytest.raises(JITNoBuilderError, match="can only be used inside"):
        use()


# Tensors and indexing.


def test_tensor_spellings() -> None:
    shapes = [T.Tensor((2, 3), "float16"), T.Tensor[(2, 3), "float16"], T.Tensor[[2, 3], T.float16]]
    assert {(t.shape, t.dtype) for t in shapes} == {((2, 3), "float16")}
    assert (T.Tensor[2, 3].shape, T.Tensor[2, 3].dtype) == ((2, 3), "float32")
    assert T.Tensor(5).shape == (5,) and T.Tensor(()).shape == ()
    assert T.Tensor((2, 3)).strides == (3, 1)
    assert T.StridedTensor((2, 3), (4, 1), "int8").strides == (4, 1)
    assert T.Tensor((4,), T.ptr).dtype == "int64"
    assert T.SharedBuffer((4,)).scope() == "shared.dyn"
    with pytest.raises(AssertionError):
        T.Tensor[4]
    with pytest.raises(ValueError, match="Invalid shape/strides' dimensions"):
        T.StridedTensor((2, 3), (4,), "int8")
    with pytest.raises(ValueError, match="Invalid shape/strides' dimensions"):
        T.Tensor((2.5,))


def test_dynamic_dimensions() -> None:
    m, n = T.dynamic("m, n")
    (k,) = (T.dynamic("k", "int64"),)

    @T.prim_func
    def kernel(A: T.Tensor((m, n * 2), "float32"), B: T.StridedTensor((m,), (k,), "float32")):
        with T.Kernel(T.ceildiv(m, 4)):
            A[0, 0] = m + n

    head = kernel.script().splitlines()[0]
    assert "%A: global float32[%m, %n * 2]" in head
    assert "%n: int32" in head and "%k: int64" in head


def test_regions() -> None:
    def kernel(A: T.Tensor((8, 8), "float32"), n: T.int32):
        with T.Kernel(1):
            tile = T.alloc_shared((2, 8), "float32")
            T.copy(A[0:2, :], tile)
            T.copy(A[-2:, 0:8], tile)
            T.copy(tile, A[n : n + 2, :])
            rows = A[2:4, :]
            T.copy(rows[0:1, :], tile[1:2, :])
            A[-1, -2] = rows[1, 3]

    assert text(kernel) == lines("""
        alloc %tile: shared float32[2, 8]
        tile.copy src=%A[0 :+ 2, 0 :+ 8], dst=%tile[0 :+ 2, 0 :+ 8]
        tile.copy src=%A[6 :+ 2, 0 :+ 8], dst=%tile[0 :+ 2, 0 :+ 8]
        tile.copy src=%tile[0 :+ 2, 0 :+ 8], dst=%A[%n :+ 2, 0 :+ 8]
        tile.copy src=%A[2 :+ 1, 0 :+ 8], dst=%tile[1 :+ 1, 0 :+ 8]
        store %A, [7, 6], %A[3, 3]
    """)


def test_wrong_indices() -> None:
    def few(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            A[0, 0] = A[1]  # refused

    def few_in_store(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            A[1] = 2  # refused

    def step(A: T.Tensor((4, 4), "float32")):
        with T.Kernel(1):
            T.clear(A[:, 0::2])  # refused

    def slice_store(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0:4] = 1.0  # refused

    def fraction(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = A[1.5]  # refused

    def outside(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] = A[-5]  # refused

    refused(few, IndexError, "Buffer A is 2-dimensional (shape=(4, 4)), but 1 index(es) were provided")
    refused(few_in_store, IndexError, "cannot be indexed with the 1-dimensional indices")
    refused(step, RuntimeError, "Buffer slicing with step is not supported")
    refused(slice_store, TypeError, "Incompatible types in BufferStore")
    refused(fraction, TypeError, "1.5")
    refused(outside, IndexError, "A")


def test_scalar_tensors() -> None:
    def kernel(A: T.Tensor((), "float32")):
        with T.Kernel(1):
            A[()] = A[()] + 1

    assert text(kernel) == "store %A, [], %A[] + 1.0:float32"


def test_views() -> None:
    def kernel(A: T.Tensor((4, 8), "float32")):
        flat = T.reshape(A, (32,))
        bytes_ = T.view(A, (128,), dtype="int8")
        with T.Kernel(1):
            flat[31] = bytes_[0]

    def wrong(A: T.Tensor((4, 8), "float32")):
        other = T.view(A, (31,))  # refused
        with T.Kernel(1):
            other[0] = 1

    assert "view %flat: global float32[32], %A" in T.prim_func(kernel).script()
    refused(wrong, AssertionError, "T.reshape/view shape check failed")
