#pragma once

// Modular facts: alignment of offsets, whole vectors, tiles that divide.

#include "analysis/interval.h"
#include "ir/expr.h"

namespace tl {

class Facts;
struct LinearForm;

/// All integers that leave `remainder` when divided by `modulus`; modulus 0 means the one value `remainder`.
struct Congruence {
  Wide modulus = 1;
  Wide remainder = 0;

  static Congruence anything() { return {1, 0}; }
  static Congruence constant(Wide value) { return {0, value}; }
  /// Remainder put into [0, modulus).
  static Congruence of(Wide modulus, Wide remainder);

  bool contains(Wide value) const;
  /// Whether every member is a multiple of `n`. Precondition: `n > 0`.
  bool is_multiple_of(Wide n) const;
  bool operator==(const Congruence&) const = default;
};

Congruence operator+(Congruence a, Congruence b);
Congruence operator-(Congruence a, Congruence b);
Congruence operator*(Congruence a, Congruence b);
/// Members of either.
Congruence join(Congruence a, Congruence b);
/// Members of both, or `a` where only one of them can be told.
Congruence meet(Congruence a, Congruence b);

/// What is known of the value of an integer or bool expression modulo numbers; wrap-around is taken into account.
Congruence congruence(const Expr& e, const Facts& facts);
Congruence congruence(const LinearForm& form, const Facts& facts);

/// Whether the value of `e` is a multiple of `n` for all values of its variables. Precondition: `n > 0`.
bool is_multiple_of(const Expr& e, int64_t n, const Facts& facts);

}  // namespace tl
