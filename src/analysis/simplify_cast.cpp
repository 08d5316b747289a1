#include <cmath>

#include "analysis/bounds.h"
#include "analysis/simplify_steps.h"

namespace tl {
namespace {

bool is_exact_class(DType t) { return t.is_integral() || t.is_bool(); }

Wide magnitude(Wide v) { return v < 0 ? -v : v; }

/// Integers that a format holds without gaps: up to 2^precision, and no more than its largest number.
bool float_holds(DType to, Interval range) {
  const FloatFormat& format = float_format(to);
  if (!format.has_zero() || (range.lo < 0 && !format.has_sign())) return false;
  const Wide largest = std::max(magnitude(range.lo), magnitude(range.hi));
  if (largest > Wide{1} << (format.mantissa_bits + 1)) return false;
  return static_cast<double>(largest) <= float_max(to);
}

bool float_holds(DType to, DType from) {
  if (to == from) return true;
  const FloatFormat &wide = float_format(to), &narrow = float_format(from);
  const bool kinds = (wide.has_infinity() || !narrow.has_infinity()) && (wide.has_nan() || !narrow.has_nan()) &&
                     (wide.has_zero() || !narrow.has_zero()) && (wide.has_sign() || !narrow.has_sign()) &&
                     (wide.has_negative_zero() || !narrow.has_negative_zero());
  // The smallest step and the largest number of `from` must exist; the mantissa must be no shorter.
  const int wide_lowest = wide.min_exponent() - wide.mantissa_bits;
  const int narrow_lowest = narrow.min_exponent() - narrow.mantissa_bits;
  return kinds && wide.mantissa_bits >= narrow.mantissa_bits && wide_lowest <= narrow_lowest &&
         float_max(to) >= float_max(from);
}

/// Whether converting `from` by way of `by` to `to` gives what converting it at once does.
bool may_skip(DType from, Interval range, DType by, DType to) {
  // Integers of one width or less: taking the low bits twice is taking them once.
  if (is_exact_class(from) && by.is_integral() && to.is_integral() && to.bits() <= by.bits()) return true;
  if (!keeps_values(from, range, by)) return false;
  // A float converts to an integer by saturation, an integer by wrap-around: the same only where the value fits.
  if (is_exact_class(from) != is_exact_class(by)) {
    return to.is_floating() || to.is_bool() || (is_exact_class(from) && keeps_values(from, range, to));
  }
  return true;
}

}  // namespace

bool keeps_values(DType from, Interval range, DType to) {
  if (from == to) return true;
  if (is_exact_class(from)) {
    if (to.is_floating()) return float_holds(to, range);
    return is_exact_class(to) && Interval::of(to).contains(range);
  }
  return from.is_floating() && to.is_floating() && float_holds(to, from);
}

Expr drop_casts(const Expr& e, const Facts& facts) {
  const auto* outer = e.as<CastNode>();
  if (outer == nullptr || e.dtype().is_vector()) return e;
  const auto* inner = outer->a.as<CastNode>();
  if (inner == nullptr || inner->a.dtype().is_handle() || inner->dtype.is_handle() || e.dtype().is_handle()) return e;
  const DType from = inner->a.dtype();
  return may_skip(from, bounds(inner->a, facts), inner->dtype, e.dtype()) ? cast(e.dtype(), inner->a) : e;
}

}  // namespace tl
