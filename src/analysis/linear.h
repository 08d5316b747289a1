#pragma once

// Integer expressions as `constant + sum of coefficient * atom`. An atom is any expression that is not itself such a
// sum.

#include <optional>
#include <vector>

#include "analysis/interval.h"
#include "ir/expr.h"

namespace tl {

class Facts;

struct LinearTerm {
  Expr atom;
  Wide coefficient;
};

/// A sum over mathematical integers. Terms have different atoms (by structure), in order of first appearance, and
/// coefficients other than 0.
struct LinearForm {
  std::vector<LinearTerm> terms;
  Wide constant = 0;
  /// False when a coefficient or the constant left the range of the analysis; the form then says nothing.
  bool valid = true;

  static LinearForm of_constant(Wide value) { return {{}, value}; }
  static LinearForm of_atom(const Expr& atom) { return {{{atom, 1}}, 0}; }

  /// Adds `factor * other`.
  void add(const LinearForm& other, Wide factor = 1);
  void add_term(const Expr& atom, Wide coefficient);
  LinearForm scaled(Wide factor) const;
  bool is_constant() const { return valid && terms.empty(); }
  /// 0 where the atom does not appear.
  Wide coefficient_of(const Expr& atom) const;
  /// The form without that atom's term.
  LinearForm without(const Expr& atom) const;
};

/// A sum that equals `e` modulo 2^bits of its dtype, whatever the values of its atoms: integers of one width form a
/// ring, so this holds with wrap-around. Coefficients and constant are in [-2^(bits-1), 2^(bits-1)). Precondition: `e`
/// is an integer.
LinearForm ring_form(const Expr& e);

/// A ring form of `dtype` made equal to the value itself, if the bounds of its atoms leave no room for wrap-around: the
/// constant may move by a multiple of 2^bits.
std::optional<LinearForm> fit(LinearForm form, DType dtype, const Facts& facts);

/// The expression of dtype `dtype` that a ring form stands for: terms in order, subtraction for negative coefficients.
/// Precondition: atoms have that dtype.
Expr to_expr(const LinearForm& form, DType dtype);

/// The value of `e` itself, as a mathematical integer: no wrap-around is hidden in it. Values of `bind`s known to
/// `facts` and casts that keep the value are looked through; whatever may wrap is an atom. Precondition: `e` is an
/// integer or bool.
LinearForm exact_form(const Expr& e, const Facts& facts);

/// What a conversion of integers converts, where it keeps every value of its operand; else `atom` itself.
Expr unwidened(const Expr& atom);

/// Values that the form can take.
Interval bounds(const LinearForm& form, const Facts& facts);

/// `form` as `scale * first + second`, every coefficient of `first` a whole number, the terms and the constant of
/// `second` what is left: coefficients that `scale` does not divide, and the constant modulo `scale`. Precondition:
/// `scale > 0`.
struct SplitForm {
  LinearForm multiple, rest;
};
SplitForm split_by(const LinearForm& form, Wide scale);

}  // namespace tl
