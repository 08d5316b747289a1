"""The older path of `tilelang.backend.target`."""

from tilelang.backend.target import (
    auto_detect_target,
    determine_target,
    list_target_detectors,
    register_target_detector,
    register_target_normalizer,
)

__all__ = [
    "auto_detect_target",
    "determine_target",
    "list_target_detectors",
    "register_target_detector",
    "register_target_normalizer",
]
