#pragma once

// Single steps of the simplifier, beside the rows: each returns `e` itself where it has nothing to say. Operands of `e`
// are already simplified.

#include "analysis/facts.h"

namespace tl {

/// Collects like terms of an integer sum where that leaves fewer operations; holds with wrap-around.
Expr collect_terms(const Expr& e);
/// Divides a sum of products by a constant (`//` and `%`), term by term, where nothing wraps.
Expr divide_terms(const Expr& e, const Facts& facts);
/// Drops conversions that change nothing, alone or before another one.
Expr drop_casts(const Expr& e, const Facts& facts);

/// Whether every value of `from` (and, for integers, of `range`) is a value of `to`, so that a cast keeps it.
bool keeps_values(DType from, Interval range, DType to);

}  // namespace tl
