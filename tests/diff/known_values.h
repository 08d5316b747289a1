#pragma once

#include "ir/expr.h"

namespace tl::testing {

/// What the generator knows of a set of values. It keeps sums exact: in whatever order small multiples of a power of
/// two are added, no addition rounds, so that every executor must give the same bits.
struct KnownValues {
  /// False: anything, infinities and NaN too. True: integers or floats with |v| <= most that are multiples of 2^lsb.
  bool tidy = false;
  bool negative = true;
  double most = 0;
  int lsb = 0;

  static KnownValues anything() { return {}; }
  static KnownValues within(double most, int lsb = 0, bool negative = true) { return {true, negative, most, lsb}; }
  /// Whether every one of them is a value of the type.
  bool fit(DType t) const;
  /// These values after conversion to a type, or what an operation rounded to it makes of them.
  KnownValues in(DType t) const { return fit(t) ? *this : anything(); }
};

KnownValues join(const KnownValues& a, const KnownValues& b);
KnownValues sum(const KnownValues& a, const KnownValues& b);
KnownValues product(const KnownValues& a, const KnownValues& b);
/// Sums of up to `terms` of them.
KnownValues repeated_sum(const KnownValues& a, double terms);
/// What a cast from a type to another makes of them.
KnownValues converted(const KnownValues& a, DType from, DType to);

/// An expression and what is known of its value.
struct Typed {
  Expr e;
  KnownValues v;
};

}  // namespace tl::testing
