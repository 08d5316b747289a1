"""CUDA targets by name, on machines with and without devices; what the cache key of a CUDA kernel is made of."""

from __future__ import annotations

import functools
import re
from types import SimpleNamespace

import kernels
import pytest
import tilelang
from tilelang.backend import cuda
from tilelang.backend.target import (
    auto_detect_target,
    compiler_target,
    determine_target,
    is_cuda,
    resolve_execution_backend,
)
from tilelang.cache.key import cache_key
from tilelang.env import env
from tilelang.jit.build import Request
from tilelang.tvm.target import Target

HOPPER = cuda.Device(0, "H200", "sm_90", "sm_90a", 141 << 30)
ADA = cuda.Device(1, "L40", "sm_89", "sm_89", 48 << 30)


@pytest.fixture
def machine(monkeypatch):
    """Makes a machine of some devices: `machine(HOPPER, ADA)`; none at first."""
    monkeypatch.delenv("TILELANG_TARGET", raising=False)

    def make(*found, current=0):
        monkeypatch.setattr(cuda, "devices", functools.cache(lambda: found))
        monkeypatch.setattr(cuda, "current_device", lambda: found[current] if found else None)

    make()
    return make


FORMS = [
    ("cuda", "sm_90a"),
    ("cuda -arch=sm_80", "sm_80"),
    ({"kind": "cuda"}, "sm_90a"),
    ({"kind": "cuda", "arch": "sm_90a"}, "sm_90a"),
    ({"kind": "cuda", "arch": "sm_89", "max_num_threads": 1024}, "sm_89"),
    (Target("cuda"), "sm_90a"),
    (Target({"kind": "cuda", "arch": "compute_75"}), "sm_75"),
]


@pytest.mark.parametrize(("target", "expected"), FORMS, ids=str)
def test_forms_of_a_cuda_target(machine, target, expected):
    found = determine_target(target)
    assert is_cuda(found) and compiler_target(found) == expected
    assert isinstance(found, Target) == isinstance(target, Target)
    assert determine_target(target, return_object=True).arch


ARCHITECTURES = [
    ("sm_75", "sm_75"), ("sm_80", "sm_80"), ("sm_86", "sm_86"), ("sm_87", "sm_86"), ("sm_89", "sm_89"),
    ("sm_90", "sm_90a"), ("sm_90a", "sm_90a"), ("sm_100", "sm_100a"), ("sm_100a", "sm_100a"), ("sm_100f", "sm_100a"),
    ("sm_120", "sm_120a"), ("sm_120a", "sm_120a"), ("compute_90", "sm_90a"),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "expected"), ARCHITECTURES)
def test_architectures(arch, expected):
    assert compiler_target({"kind": "cuda", "arch": arch}) == expected


@pytest.mark.parametrize("arch", ["sm_50", "sm_70", "sm_103", "sm_121", "sm_", "90", "sm_90b", 90, "gfx942", "sm_90 "])
def test_architectures_that_are_none(arch):
    for check in (determine_target, lambda t: tilelang.compile(kernels.scale(), target=t)):
        with pytest.raises(AssertionError, match=r"error\[TL109\].*architecture .* is not supported") as caught:
            check({"kind": "cuda", "arch": arch})
        assert "sm_75, sm_80" in str(caught.value) and isinstance(caught.value, tilelang.TileLangError)


def test_auto_is_the_best_device(machine):
    assert auto_detect_target() == determine_target("auto") == "c"
    machine(HOPPER, ADA)
    assert auto_detect_target() == determine_target("auto") == determine_target(None)
    assert determine_target("cuda") == {"kind": "cuda", "arch": "sm_90a"}
    machine(HOPPER, ADA, current=1)
    assert determine_target("auto") == {"kind": "cuda", "arch": "sm_89"}
    with Target("c"):
        assert determine_target("auto").kind.name == "c"


def test_the_environment_names_the_target(machine, monkeypatch):
    machine(HOPPER)
    monkeypatch.setenv("TILELANG_TARGET", "interpret")
    assert determine_target("auto") == determine_target(None) == "interpret"
    monkeypatch.setenv("TILELANG_DEFAULT_TARGET", '{"kind": "cuda", "arch": "sm_80"}')
    assert determine_target("auto") == {"kind": "cuda", "arch": "sm_80"}
    assert env.get_default_target() == {"kind": "cuda", "arch": "sm_80"}


def test_backends():
    for name in ("auto", "tvm_ffi", "nvrtc", "cython", "dlpack", None):
        assert resolve_execution_backend(name, "cuda") in ("tvm_ffi", "nvrtc", "cython")
    for name in ("foo", "torch", "cutedsl"):
        message = f"Invalid execution backend '{name}' for target 'cuda'. Allowed: tvm_ffi, nvrtc, cython"
        with pytest.raises(ValueError, match=re.escape(message)):
            resolve_execution_backend(name, {"kind": "cuda", "arch": "sm_90a"})


def test_eager_kernels_follow_their_arguments(machine):
    """On a machine with a device, arrays in host memory mean the host."""
    import numpy as np
    import tilelang.language as T

    @tilelang.jit
    def doubled(A):
        n = T.const("n")
        A: T.Tensor((n,), "float32")
        B = T.empty((n,), "float32")
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = A[i] * 2.0
        return B

    machine(HOPPER)
    a = np.arange(5, dtype=np.float32)
    assert (doubled(a) == 2 * a).all() and (doubled(a) == 2 * a).all()
    assert doubled.compile(a).target == "c"


def test_places_of_arrays(machine):
    machine(HOPPER, ADA)

    def array(*place):
        return SimpleNamespace(__dlpack_device__=lambda: place)

    assert cuda.target_of_array(array(2, 1)) == {"kind": "cuda", "arch": "sm_89"}
    assert cuda.target_of_array(array(13, 0)) == {"kind": "cuda", "arch": "sm_90a"}
    assert cuda.target_of_array(array(1, 0)) == "c"
    assert cuda.target_of_array(array(2, 7)) is cuda.target_of_array(array(8, 0)) is cuda.target_of_array(3) is None


# --- the key of the cache ---


def key(target="cuda", **options):
    return cache_key(Request.of(kernels.scale(4, 4), target=target, **options))


def test_the_key_of_a_cuda_kernel(machine, monkeypatch):
    monkeypatch.setattr("tilelang.cache.key.toolchain_stamp", lambda: "NVRTC 13.0")
    first = key()
    assert key() == first
    others = [
        key({"kind": "cuda", "arch": "sm_80"}),
        key("c"),
        key(compile_flags="--use_fast_math"),
        key(pass_configs={"tl.device_compile_flags": "-lineinfo"}),
        key(out_idx=1),
        key(execution_backend="nvrtc"),
    ]
    assert len({first, *others}) == 1 + len(others)
    monkeypatch.setattr("tilelang.cache.key._processor", lambda: "another processor")
    monkeypatch.setattr("tilelang.cache.store.platform_folder", lambda: pytest.fail("asks for the host's compiler"))
    assert key() == first, "a host's processor and compiler do not matter"
    monkeypatch.setattr("tilelang.cache.key.toolchain_stamp", lambda: "NVRTC 13.1")
    assert key() != first


def test_flags_of_configuration_and_call_are_joined(machine):
    request = Request.of(
        kernels.scale(4, 4),
        target="cuda",
        pass_configs={"tl.device_compile_flags": ["-lineinfo"]},
        compile_flags="--maxrregcount=64 -DX='a b'",
    )
    assert request.flags == ["-lineinfo", "--maxrregcount=64", "-DX=a b"]
