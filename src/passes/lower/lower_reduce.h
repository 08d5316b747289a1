#pragma once

#include <memory>

#include "ir/ops.h"

namespace tl {

/// A reduction as loops over the kept dimensions. Along the last dimension, where rows are contiguous and the prelude
/// reduces the types, the innermost op stays a tile.reduce of one row into one element; else elements are combined one
/// by one, into a wider copy of the destination where its own type is not the one to combine in.
Block lower_reduce(std::unique_ptr<Reduce> reduce);

/// The neutral element of a reduction in a type.
Expr reduce_identity(ReduceKind kind, DType type);
/// What an element takes part as: its magnitude in some kinds.
Expr reduce_element(ReduceKind kind, const Expr& x);
/// What an old result takes part as: a maximum of magnitudes knows no negative value.
Expr reduce_old(ReduceKind kind, const Expr& x);
/// Two partial results as one.
Expr reduce_combined(ReduceKind kind, const Expr& a, const Expr& b);
/// The kind that combines partial results of another.
ReduceKind combined_kind(ReduceKind kind);

}  // namespace tl
