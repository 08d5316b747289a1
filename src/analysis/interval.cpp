#include "analysis/interval.h"

#include <algorithm>
#include <initializer_list>

namespace tl {
namespace {

constexpr Wide clamp(Wide v) { return std::clamp(v, -Interval::kLimit, Interval::kLimit); }

Wide multiply(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? Interval::kLimit : -Interval::kLimit;
  return clamp(product);
}

Interval around(std::initializer_list<Wide> values) { return {clamp(std::min(values)), clamp(std::max(values))}; }

/// `f` at the corners of a x b, which hold the extremes of a function monotone in each operand.
template <class F>
Interval corners(Interval a, Interval b, F f) {
  return around({f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)});
}

/// Joins `part` over the negative, zero and positive values of the divisor; a divisor of zero gives 0.
template <class F>
Interval by_sign_of_divisor(Interval b, F part) {
  std::optional<Interval> all;
  const auto add = [&](Interval piece) { all = all ? join(*all, piece) : piece; };
  if (b.contains(0)) add(Interval::point(0));
  if (b.hi > 0) add(part(Interval{std::max<Wide>(b.lo, 1), b.hi}));
  if (b.lo < 0) add(part(Interval{b.lo, std::min<Wide>(b.hi, -1)}));
  return all.value_or(Interval::everything());
}

/// A bound at its limit stays at it through a division.
std::optional<Wide> limit_quotient(Wide a, Wide b) {
  if (a != Interval::kLimit && a != -Interval::kLimit) return std::nullopt;
  return b > 0 ? a : -a;
}

Wide floor_quotient(Wide a, Wide b) {
  if (const auto limit = limit_quotient(a, b)) return *limit;
  return b > 0 ? floor_div(a, b) : floor_div(-a, -b);
}

Wide trunc_quotient(Wide a, Wide b) { return limit_quotient(a, b).value_or(a / b); }

Interval floor_mod_positive(Interval a, Interval b) {
  if (a.lo >= 0 && a.hi < b.lo) return a;
  if (b.is_point() && a.bounded() && floor_div(a.lo, b.lo) == floor_div(a.hi, b.lo)) {
    return {floor_mod(a.lo, b.lo), floor_mod(a.hi, b.lo)};
  }
  return {0, a.lo >= 0 ? std::min(a.hi, b.hi - 1) : b.hi - 1};
}

}  // namespace

std::string text(Wide value) {
  if (value == 0) return "0";
  std::string digits;
  const bool negative = value < 0;
  for (; value != 0; value /= 10) digits += static_cast<char>('0' + std::max(value % 10, -(value % 10)));
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

Wide floor_div(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

Wide floor_mod(Wide a, Wide b) {
  const Wide r = a % b;
  return r < 0 ? r + b : r;
}

Wide greatest_common_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

Interval intersect(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Interval join(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval operator+(Interval a, Interval b) {
  // A bound at its limit stays there, whatever is added.
  const bool open_below = a.lo == -Interval::kLimit || b.lo == -Interval::kLimit;
  const bool open_above = a.hi == Interval::kLimit || b.hi == Interval::kLimit;
  return {open_below ? -Interval::kLimit : clamp(a.lo + b.lo), open_above ? Interval::kLimit : clamp(a.hi + b.hi)};
}
Interval operator-(Interval a, Interval b) { return a + -b; }
Interval operator-(Interval a) { return {-a.hi, -a.lo}; }
Interval operator*(Interval a, Interval b) { return corners(a, b, multiply); }

Interval floor_div(Interval a, Interval b) {
  return by_sign_of_divisor(b, [&](Interval part) { return corners(a, part, floor_quotient); });
}

Interval floor_mod(Interval a, Interval b) {
  return by_sign_of_divisor(b, [&](Interval part) {
    // a mod -n is -(-a mod n).
    return part.lo > 0 ? floor_mod_positive(a, part) : -floor_mod_positive(-a, -part);
  });
}

Interval trunc_div(Interval a, Interval b) {
  return by_sign_of_divisor(b, [&](Interval part) { return corners(a, part, trunc_quotient); });
}

Interval trunc_mod(Interval a, Interval b) {
  return by_sign_of_divisor(b, [&](Interval part) {
    const Wide most = std::max(part.hi, -part.lo) - 1;
    const Interval magnitude = {a.lo < 0 ? -most : 0, a.hi > 0 ? most : 0};
    return intersect(magnitude, {std::min<Wide>(a.lo, 0), std::max<Wide>(a.hi, 0)});
  });
}

Interval min(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Interval max(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }

std::optional<bool> less(Interval a, Interval b) {
  if (a.hi < b.lo) return true;
  if (a.lo >= b.hi) return false;
  return std::nullopt;
}

}  // namespace tl
