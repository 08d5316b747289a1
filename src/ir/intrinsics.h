#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "types/math_fn.h"

namespace tl {

/// What a call may do besides giving a value.
enum class Effect : uint8_t { kPure, kReads, kWrites };

/// One callable: a row of the table in ir/intrinsics.cpp. Rows are never destroyed, so a pointer is its identity.
struct Intrinsic {
  std::string_view name;
  int min_args;
  /// -1 = any number.
  int max_args;
  Effect effect;
  /// The elementary function it computes; nothing for machine intrinsics and externs.
  std::optional<MathFn> math;
  std::string_view doc;
};

/// Null when there is no such row.
const Intrinsic* find_intrinsic(std::string_view name);
const Intrinsic* intrinsic_of(MathFn fn);
const std::vector<Intrinsic>& all_intrinsics();

}  // namespace tl
