#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "types/dtype.h"

namespace tl {

/// Wide enough for sums and products of 64-bit values, signed or not, so that analyses never wrap themselves.
__extension__ using Wide = __int128;

/// A decimal number, for messages.
std::string text(Wide value);
/// Rounds towards minus infinity. Precondition: `b > 0`.
Wide floor_div(Wide a, Wide b);
/// In [0, b). Precondition: `b > 0`.
Wide floor_mod(Wide a, Wide b);
/// Not negative; gcd(0, 0) is 0.
Wide greatest_common_divisor(Wide a, Wide b);

/// All integers from `lo` to `hi`, both included. Bounds beyond +-2^120 stand for "unbounded": arithmetic saturates
/// there.
struct Interval {
  Wide lo, hi;

  static constexpr Wide kLimit = Wide{1} << 120;
  static constexpr Interval everything() { return {-kLimit, kLimit}; }
  static constexpr Interval point(Wide value) { return {value, value}; }
  /// The values of an integer or bool type.
  static constexpr Interval of(DType t) { return {integer_min(t), static_cast<Wide>(integer_max(t))}; }

  constexpr bool is_point() const { return lo == hi; }
  /// No value at all: what is said here is unreachable.
  constexpr bool empty() const { return lo > hi; }
  /// Neither bound has met the limit, so both are true bounds.
  constexpr bool bounded() const { return -kLimit < lo && hi < kLimit; }
  constexpr bool contains(Wide value) const { return lo <= value && value <= hi; }
  constexpr bool contains(Interval other) const { return lo <= other.lo && other.hi <= hi; }
  constexpr bool operator==(const Interval&) const = default;
};

/// The values both allow.
Interval intersect(Interval a, Interval b);
/// The smallest interval around both.
Interval join(Interval a, Interval b);

// Exact arithmetic on mathematical integers: nothing wraps.
Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator-(Interval a);
Interval operator*(Interval a, Interval b);
/// Floor division where 0 as a divisor gives 0, as the language has it.
Interval floor_div(Interval a, Interval b);
/// Floor remainder where 0 as a divisor gives 0.
Interval floor_mod(Interval a, Interval b);
Interval trunc_div(Interval a, Interval b);
Interval trunc_mod(Interval a, Interval b);
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);

/// Whether `a < b` for all, for no, or for some values.
std::optional<bool> less(Interval a, Interval b);

}  // namespace tl
