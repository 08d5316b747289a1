#pragma once

// Simplification of expressions. The rules are rows of tables (analysis/rewrite_rows_*.cpp), each tried on random
// operands against the arithmetic of types/scalar.h; beside them are sums (like terms collected in the ring of the
// dtype), division of sums, comparisons decided by bounds, and casts.

#include "analysis/facts.h"

namespace tl {

/// An expression of the same dtype and, under `facts`, the same value for all values of its variables and all contents
/// of memory; floats bit by bit, but that a NaN may be another NaN. Loads and pure calls may be dropped, never added or
/// moved out of the side of a `select`; effects stay as they are.
Expr simplify(const Expr& e, const Facts& facts);
Expr simplify(const Expr& e);

}  // namespace tl
