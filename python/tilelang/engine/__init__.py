"""Lowering without running: `lower`, and hooks on generated source."""

from .callback import (
    register_ascend_postproc,
    register_ascend_postproc_callback,
    register_c_postproc,
    register_c_postproc_callback,
    register_cuda_postproc,
    register_cuda_postproc_callback,
    register_hip_postproc,
    register_hip_postproc_callback,
    register_metal_postproc,
    register_metal_postproc_callback,
)
from .lower import lower
from .param import CompiledArtifact, KernelParam

__all__ = [
    "CompiledArtifact",
    "KernelParam",
    "lower",
    "register_ascend_postproc",
    "register_ascend_postproc_callback",
    "register_c_postproc",
    "register_c_postproc_callback",
    "register_cuda_postproc",
    "register_cuda_postproc_callback",
    "register_hip_postproc",
    "register_hip_postproc_callback",
    "register_metal_postproc",
    "register_metal_postproc_callback",
]
