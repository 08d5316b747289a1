#pragma once

// What the facts in scope say about the value of an expression. All answers are sound with wrap-around, and their cost
// is bounded: there is no solver behind them.

#include <optional>

#include "analysis/facts.h"
#include "analysis/interval.h"

namespace tl {

/// All values that an integer or bool expression can take; everything for other dtypes. Where an operation may wrap,
/// the range of its dtype.
Interval bounds(const Expr& e, const Facts& facts);

/// The one value of `e`, if the bounds leave only one.
std::optional<int64_t> constant_value(const Expr& e, const Facts& facts);

/// Whether `condition` (a bool) is true, or false, for all values of its variables under `facts`; nothing where neither
/// shows. Comparisons are decided on differences of linear forms: variables are eliminated by their symbolic bounds, as
/// in
///   i in [0, min(64, n - b * 64))  =>  b * 64 + i < n.
std::optional<bool> prove(const Expr& condition, const Facts& facts);

/// `prove(condition) == true`.
inline bool holds(const Expr& condition, const Facts& facts) { return prove(condition, facts) == true; }

/// Whether a sum is >= 0 for all values of its atoms.
bool prove_nonnegative(const LinearForm& form, const Facts& facts);

}  // namespace tl
