#pragma once

#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "ir/ops.h"

namespace tl {

/// Text spellings of an enum's values, in declared order. A new enum field type needs a specialisation here.
template <class E>
struct EnumNames;

#define TL_ENUM_NAMES(E, ...)                                   \
  template <>                                                   \
  struct EnumNames<E> {                                         \
    static constexpr std::string_view kType = #E;               \
    static constexpr std::string_view kNames[] = {__VA_ARGS__}; \
  }

TL_ENUM_NAMES(Engine, "scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe");
TL_ENUM_NAMES(Rasterization, "none", "row", "column", "mlx");
TL_ENUM_NAMES(LoopKind, "serial", "unrolled", "vectorized", "pipelined");
TL_ENUM_NAMES(CopyPreference, "any", "tma", "cp_async", "sync");
TL_ENUM_NAMES(EvictionPolicy, "evict_normal", "evict_first", "evict_last");
TL_ENUM_NAMES(WarpPolicy, "square", "full_row", "full_col");
TL_ENUM_NAMES(ReduceKind, "sum", "abssum", "max", "min", "absmax", "bitand", "bitor", "bitxor");

#undef TL_ENUM_NAMES

template <class E>
std::string_view enum_name(E value) {
  return EnumNames<E>::kNames[static_cast<int>(value)];
}

template <class E>
std::optional<E> parse_enum(std::string_view name) {
  for (size_t i = 0; i < std::size(EnumNames<E>::kNames); ++i) {
    if (EnumNames<E>::kNames[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace tl
