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

}  // namespace tl
