"""What names hold: bindings, mutable scalars, and values that would leak out of control flow."""

from __future__ import annotations

import tilelang.language as T
from tracing import lines, refused, text

# Bindings are snapshots.


def test_bindings_are_evaluated_where_they_stand() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = A[0]
            A[0] = 2
            y = x + n
            y += 1
            z = y
            A[1] = z

    assert text(kernel) == lines("""
        bind %x: float32, %A[0]
        store %A, [0], 2.0:float32
        bind %y: float32, %x + cast(float32, %n)
        bind %y_1: float32, %y + 1.0:float32
        store %A, [1], %y_1
    """)


def test_expressions_before_the_launch_stay_expressions() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        blocks = T.ceildiv(n, 4)
        with T.Kernel(blocks):
            A[0] = blocks

    script = T.prim_func(kernel).script()
    assert "bind" not in script


def test_chained_tuple_and_nested_targets() -> None:
    def kernel(A: T.Tensor((8,), "float32"), n: T.int32):
        with T.Kernel(1) as bx:
            a = b = A[0]
            (c, d), e = (1, bx), n + 1
            c, d = d, c
            A[c], A[d] = a, b
            A[e] = (f := n + 2) + f

    assert text(kernel) == lines("""
        bind %a: float32, %A[0]
        bind %e: int32, %n + 1
        store %A, [%bx], %a
        store %A, [1], %a
        bind %f: int32, %n + 2
        store %A, [%e], cast(float32, %f + %f)
    """)


def test_wrong_number_of_values() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            a, b = 1, 2, 3  # refused
            A[a] = b

    refused(kernel, ValueError, "too many values to unpack: 2 names, 3 values")


def test_starred_and_attribute_targets() -> None:
    class Box:
        value = 0

    box = Box()

    def starred(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            a, *rest = 1, 2, 3  # refused
            A[a] = rest[0]

    def attribute(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            box.value = A[0]  # refused

    refused(starred, NotImplementedError, "starred target")
    refused(attribute, NotImplementedError, "Attribute assignment not supported")


def test_annotated_assignments_convert() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x: T.int64 = n + 1
            k: int = 2
            A[k] = x

    assert text(kernel) == lines("""
        bind %x: int64, cast(int64, %n + 1)
        store %A, [2], cast(float32, %x)
    """)


# Mutable scalars.


def test_alloc_var_stores() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            u = T.alloc_var("int32", init=2.7)
            v = T.alloc_var(T.float32)
            w = T.alloc_var("int32", 3, "local.var")
            v = 1
            u += 2
            u, w = w, u
            snapshot = u
            u = 5
            A[snapshot] = v

    assert text(kernel) == lines("""
        alloc %u: var int32[1], init=2
        alloc %v: var float32[1]
        alloc %w: var int32[1], init=3
        store %v, [0], 1.0:float32
        store %u, [0], %u[0] + 2
        bind %u_1: int32, %w[0]
        bind %w_1: int32, %u[0]
        store %u, [0], %u_1
        store %w, [0], %w_1
        bind %snapshot: int32, %u[0]
        store %u, [0], 5
        store %A, [%snapshot], %v[0]
    """)


def test_alloc_var_is_a_scalar() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=0)
            v[0] = 1  # refused

    def twice(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", 1, init=0)  # refused
            A[v] = 1

    def scope(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", 1, 2)  # refused
            A[v] = 1

    refused(kernel, TypeError, "is one value and has no elements")
    refused(twice, TypeError, "init is given twice")
    refused(scope, TypeError, "not a string")


def test_variables_carry_values_out_of_control_flow() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = T.alloc_var("int32", init=1)
            if n > 1:
                x = 2
            for i in range(4):
                x += i
            A[x] = 1

    assert text(kernel) == lines("""
        alloc %x: var int32[1], init=1
        if %n > 1 {
          store %x, [0], 2
        }
        for %i: int32, 0, 4 {
          store %x, [0], %x[0] + %i
        }
        store %A, [%x[0]], 1.0:float32
    """)


def test_allocation_in_an_unrolled_loop_makes_new_variables() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for k in [0, 1]:
                v = T.alloc_var("int32", init=k)
                A[v] = 1

    assert text(kernel).count("alloc") == 2
    assert "store %v," not in text(kernel)


# Values that would leak.


def test_python_value_rebound_in_a_branch() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = 1
            if n > 1:
                x = 2
            A[0] = x  # refused

    message = refused(kernel, ValueError, "`x` is assigned inside a branch")
    assert "T.alloc_var" in message
    assert "it was assigned here" in message


def test_value_of_both_branches() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            if n > 1:
                x = 2
            else:
                x = 3
            A[0] = x  # refused

    refused(kernel, ValueError, "`x` is assigned inside a branch")


def test_python_value_carried_by_a_loop() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            x = 0
            for i in range(4):
                x += 1  # refused
                A[i] = x

    refused(kernel, ValueError, "`x` is rebound in a loop that also reads the value it had before")


def test_python_value_read_then_rebound_in_a_loop() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            x = 0
            for i in T.serial(4):
                A[x] = i  # refused
                x = i

    refused(kernel, ValueError, "`x` is rebound in a loop")


def test_value_used_after_the_loop() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for _ in T.serial(4):
                x = 3
            A[0] = x  # refused

    refused(kernel, ValueError, "`x` is assigned inside a loop")


def test_binding_used_outside_its_region() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            y = A[0]
            if n > 1:
                y = A[1]
            A[2] = y  # refused

    def loop_variable(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            for i in range(4):
                A[i] = 0
            A[i] = 1  # refused

    def launch(A: T.Tensor((4,), "float32")):
        with T.Kernel(4) as bx:
            A[bx] = 0
        with T.Kernel(1):
            A[bx] = 1  # refused

    def shared(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((4,), "float32")
            T.copy(A, tile)
        with T.Kernel(1):
            T.copy(tile, A)  # refused

    for wrong in (kernel, loop_variable, launch, shared):
        refused(wrong, RuntimeError, "is used outside its defining region")


def test_value_hidden_in_a_container_does_not_escape() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            kept = []
            for i in range(4):
                kept.append(i + 1)
            A[kept[0]] = 1  # refused

    refused(kernel, RuntimeError, "is used outside its defining region")


def test_rebinding_that_nobody_sees_is_fine() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = 1
            A[0] = x
            for i in range(4):
                x = i * 2
                A[i] = x
            x = 5
            if n > 2:
                y = x + 1
                A[1] = y
            else:
                y = 3
                A[2] = y
            A[3] = x

    assert text(kernel).endswith("store %A, [3], 5.0:float32")


def test_rebinding_to_the_same_value_is_fine() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            x = 1
            if n > 1:
                x = 1
            A[0] = x

    assert text(kernel).endswith("store %A, [0], 1.0:float32")


def test_python_values_survive_a_launch() -> None:
    def kernel(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            k = 3
            A[k] = 1
        with T.Kernel(1):
            A[k] = 2

    assert T.prim_func(kernel).launches == 2


def test_while_condition_reads_what_the_body_rebinds() -> None:
    def kernel(A: T.Tensor((4,), "float32"), n: T.int32):
        with T.Kernel(1):
            m = n + 0
            while m > 0:  # refused
                m = m - 1
                A[0] = m

    refused(kernel, ValueError, "`m` is rebound in a loop")


# Assignments that are mistakes.


def test_whole_buffers_are_not_updated() -> None:
    def augmented(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A += 1  # refused

    def region(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0:2] += 1  # refused

    def name(A: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A = 1  # refused
            A + 1

    refused(augmented, RuntimeError, "Attempting to update buffer")
    refused(region, RuntimeError, "Attempting to update buffer")
    refused(name, TypeError, "gives the name of a tensor parameter to another value")


def test_element_updates() -> None:
    def kernel(A: T.Tensor((4,), "int32"), F: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            A[0] += 1
            A[0] -= 1
            A[0] *= 2
            A[0] //= 2
            A[0] %= 2
            A[0] <<= 1
            A[0] >>= 1
            A[0] &= 1
            A[0] |= 1
            A[0] ^= 1
            F[0] /= 2

    def division(A: T.Tensor((4,), "int32")):
        with T.Kernel(1):
            A[0] /= 2  # refused

    assert len(text(kernel).splitlines()) == 11
    refused(division, RuntimeError, "multiple types of integer divisions")
