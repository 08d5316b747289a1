"""The keys of pass configuration, with the kind of value that each takes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from enum import Enum
from typing import Any

from tilelang.errors import error_class

__all__ = ["PassConfigKey", "checked_pass_configs"]


class PassConfigKey(str, Enum):
    """Members are strings, so either form is a key of `pass_configs`."""

    TL_SIMPLIFY = "tl.Simplify"
    TL_SIMPLIFY_TRANSITIVELY_PROVE_INEQUALITIES = "transitively_prove_inequalities"
    TL_SIMPLIFY_CONVERT_BOOLEAN_TO_AND_OF_ORS = "convert_boolean_to_and_of_ors"
    TL_SIMPLIFY_APPLY_CONSTRAINTS_TO_BOOLEAN_BRANCHES = "apply_constraints_to_boolean_branches"
    TL_SIMPLIFY_PROPAGATE_KNOWNS_TO_PROVE_CONDITIONAL = "propagate_knowns_to_prove_conditional"
    TL_SIMPLIFY_PROPAGATE_KNOWNS_TO_SIMPLIFY_EXPRESSIONS = "propagate_knowns_to_simplify_expressions"
    TL_SIMPLIFY_ENABLE_LET_INLINE = "enable_simplify_let_inline"
    TL_DISABLE_BUFFER_INIT_CHECK = "tl.disable_buffer_init_check"
    TL_DISABLE_DATA_RACE_CHECK = "tl.disable_data_race_check"
    TL_DISABLE_PRELOWER_SEMANTIC_CHECK = "tl.disable_prelower_semantic_check"
    TL_DISABLE_WARP_SPECIALIZED = "tl.disable_warp_specialized"
    TL_ENABLE_AUTO_SCHEDULE = "tl.enable_auto_schedule"
    TL_ENABLE_AUTO_WARP_SPECIALIZATION = "tl.enable_auto_warp_specialization"
    TL_ENABLE_FAST_MATH = "tl.enable_fast_math"
    TL_PTXAS_REGISTER_USAGE_LEVEL = "tl.ptxas_register_usage_level"
    TL_DEVICE_COMPILE_FLAGS = "tl.device_compile_flags"
    TL_EMIT_LINE_DIRECTIVES = "tl.emit_line_directives"
    TL_CONFIG_INDEX_BITWIDTH = "tl.config_index_bitwidth"
    TL_ENABLE_REDUCER_PLAN_VERBOSE = "tl.enable_reducer_plan_verbose"
    TL_LAYOUT_COST_MODEL = "tl.layout_cost_model"
    TL_REDUCER_FORCE_BASELINE = "tl.reducer_force_baseline"
    TL_DISABLE_TMA_LOWER = "tl.disable_tma_lower"
    TL_DISABLE_SAFE_MEMORY_ACCESS = "tl.disable_safe_memory_legalize"
    TL_DISABLE_VECTORIZE_256 = "tl.disable_vectorize_256"
    TL_ENABLE_FP32X2_REDUCTION = "tl.enable_fp32x2_reduction"
    TL_ENABLE_ASYNC_COPY = "tl.enable_async_copy"
    TL_ENABLE_LOWER_LDGSTG = "tl.enable_lower_ldgstg"
    TL_ENABLE_LOWER_LDGSTG_PREDICATED = "tl.enable_lower_ldgstg_predicated"
    TL_ENABLE_VECTORIZE_PLANNER_VERBOSE = "tl.enable_vectorize_planner_verbose"
    TL_DISABLE_WGMMA = "tl.disable_wgmma"
    TL_DEBUG_MERGE_SHARED_MEMORY_ALLOCATIONS = "tl.debug_merge_shared_memory_allocations"
    TL_ENABLE_AGGRESSIVE_SHARED_MEMORY_MERGE = "tl.enable_aggressive_shared_memory_merge"
    TL_DISABLE_SHARED_MEMORY_REUSE = "tl.disable_shared_memory_reuse"
    TL_DISABLE_SHUFFLE_ELECT = "tl.disable_shuffle_elect"
    TL_DISABLE_LOOP_UNSWITCHING = "tl.disable_loop_unswitching"
    TL_LOOP_UNSWITCHING_ALLOW_NON_TRIVIAL_ELSE = "tl.loop_unswitching_allow_non_trivial_else"
    TL_IF_STMT_BINDING_INLINE_REPLAYABLE_BINDS = "tl.if_stmt_binding_inline_replayable_binds"
    TL_DISABLE_THREAD_STORAGE_SYNC = "tl.disable_thread_storage_sync"
    TL_FORCE_LET_INLINE = "tl.force_let_inline"
    TL_AST_PRINT_ENABLE = "tl.ast_print_enable"
    TL_LAYOUT_VISUALIZATION_ENABLE = "tl.layout_visualization_enable"
    TL_LAYOUT_VISUALIZATION_FORMATS = "tl.layout_visualization_formats"
    TL_STORAGE_REWRITE_DETECT_INPLACE = "tl.storage_rewrite_detect_inplace"
    TIR_ENABLE_EQUIV_TERMS_IN_CSE = "tir.enable_equiv_terms_in_cse_tir"
    TIR_DISABLE_CSE = "tirx.disable_cse_tir"
    TIR_SIMPLIFY = "tirx.Simplify"
    TIR_DISABLE_STORAGE_REWRITE = "tirx.disable_storage_rewrite"
    TIR_DISABLE_VECTORIZE = "tirx.disable_vectorize"
    TIR_USE_ASYNC_COPY = "tirx.use_async_copy"
    TIR_ENABLE_DEBUG = "tirx.enable_debug"
    TIR_MERGE_STATIC_SMEM = "tirx.merge_static_smem"
    TIR_ADD_LOWER_PASS = "tirx.add_lower_pass"
    TIR_NOALIAS = "tirx.noalias"
    CUDA_KERNELS_OUTPUT_DIR = "cuda.kernels_output_dir"
    TL_DISABLE_OUT_OF_BOUND_WARNING = "tl.disable_out_of_bound_warning"
    TL_ENABLE_DUMP_IR = "tl.enable_dump_ir"
    TL_DUMP_IR_DIR = "tl.dump_ir_path"
    TL_PASS_PROFILE = "tl.pass_profile"
    TL_PASS_PROFILE_THRESHOLD_MS = "tl.pass_profile_threshold_ms"


# Strings that are accepted without a member, with the kind of value; None for any.
_MORE_KEYS = {
    "tl.UnrollLoop": dict,
    "tirx.UnrollLoop": dict,
    "tirx.disable_assert": bool,
    "tirx.instrument_bound_checkers": bool,
    "tl.AscendRemoveNoOp": dict,
    "tl.cpu_parallel": bool,
}
# Older keys that programs still pass: they have no meaning and are dropped, with a warning.
_IGNORED = ("tl.disable_fast_math", "tl.enable_ptxas_verbose_output", "tl.enable_ptxas_register_usage_level")
_DEPRECATED = {"tl.disable_tma_lower": "copies choose TMA by themselves"}

# Values that are not a bool.
_KINDS: dict[str, type | tuple[type, ...]] = {
    "tl.Simplify": dict,
    "tl.device_compile_flags": (str, list, tuple),
    "tl.ptxas_register_usage_level": int,
    "tl.config_index_bitwidth": int,
    "tl.layout_cost_model": str,
    "tl.layout_visualization_formats": (str, list, tuple),
    "tl.dump_ir_path": str,
    "tl.pass_profile_threshold_ms": (int, float),
    "tl.enable_auto_warp_specialization": (str, bool),
    "tirx.Simplify": (bool, dict),
    "tirx.add_lower_pass": (list, tuple),
    "cuda.kernels_output_dir": str,
}
_KEYS = {key.value: _KINDS.get(key.value, bool) for key in PassConfigKey} | _MORE_KEYS


def checked_pass_configs(configs: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The configuration with plain strings as keys, without keys whose value is None.

    Raises `AttributeError` for an unknown key (`Invalid config option`) and for a value of the wrong type (`Expect
    config`).
    """
    out: dict[str, Any] = {}
    for key, value in (configs or {}).items():
        name = key.value if isinstance(key, Enum) else str(key)
        if name in _IGNORED:
            warnings.warn(f"pass config `{name}` has no meaning here and is ignored", stacklevel=3)
            continue
        if name not in _KEYS:
            raise error_class(AttributeError)(
                f"Invalid config option '{name}' candidates are: {', '.join(sorted(_KEYS))}"
            )
        if name in _DEPRECATED and value:
            warnings.warn(f"pass config `{name}` is deprecated: {_DEPRECATED[name]}", DeprecationWarning, stacklevel=3)
        if value is not None:
            out[name] = _checked_value(name, value)
    return out


def _checked_value(name: str, value: Any) -> Any:
    kind = _KEYS[name]
    if kind is bool and type(value) is int and value in (0, 1):
        return bool(value)
    allowed = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        wanted = " or ".join(t.__name__ for t in allowed)
        raise error_class(AttributeError)(
            f"Expect config {name} to have type {wanted}, but got {value!r} of type {type(value).__name__}"
        )
    return value
