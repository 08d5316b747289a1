#include "known_values.h"

#include <algorithm>
#include <cmath>

#include "types/float_format.h"

namespace tl::testing {

namespace {

/// Bounds inside which a float format has every multiple of 2^lsb that its precision allows.
struct FormatBounds {
  double most;
  int lsb;
};

FormatBounds bounds_of(DType t) {
  if (t.cls() == TypeClass::kFloat8E8M0FNU) return {0, 0};
  if (t.bits() >= 32 || t.is_bfloat16()) return {1e30, -60};
  if (t.bits() == 16) return {60000, -8};
  return {6, -1};
}

}  // namespace

bool KnownValues::fit(DType t) const {
  if (!tidy) return false;
  if (t.is_bool()) return !negative && most <= 1 && lsb >= 0;
  if (t.is_integral()) return lsb >= 0 && (t.is_int() || !negative) && most <= static_cast<double>(integer_max(t) / 2);
  const FormatBounds bounds = bounds_of(t);
  return most <= bounds.most && lsb >= bounds.lsb && most <= std::ldexp(2 / float_epsilon(t), lsb);
}

KnownValues join(const KnownValues& a, const KnownValues& b) {
  if (!a.tidy || !b.tidy) return KnownValues::anything();
  return {true, a.negative || b.negative, std::max(a.most, b.most), std::min(a.lsb, b.lsb)};
}

KnownValues sum(const KnownValues& a, const KnownValues& b) {
  KnownValues out = join(a, b);
  out.most = a.most + b.most;
  return out;
}

KnownValues product(const KnownValues& a, const KnownValues& b) {
  if (!a.tidy || !b.tidy) return KnownValues::anything();
  return {true, a.negative || b.negative, a.most * b.most, a.lsb + b.lsb};
}

KnownValues repeated_sum(const KnownValues& a, double terms) {
  KnownValues out = a;
  out.most *= std::max(terms, 1.0);
  return out;
}

KnownValues converted(const KnownValues& a, DType from, DType to) {
  if (to.is_bool()) return KnownValues::within(1, 0, false);
  KnownValues out = a;
  if (from.is_floating() && to.is_integral()) {
    out.lsb = std::max(out.lsb, 0);
    if (to.is_uint() && out.tidy) {  // negative values saturate
      out.negative = false;
    }
  }
  return out.in(to);
}

}  // namespace tl::testing
