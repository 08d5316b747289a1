#pragma once

#include "ir/expr.h"

namespace tl {

/// The int64 value that an expression has as an index. In subscripts, offsets, extents and loop bounds signed arithmetic does
/// not wrap: additions, multiplications, divisions and the like are made in 64 bits on widened operands. Unsigned
/// arithmetic, bit operations, loads and named values keep their own width and are widened as they are.
Expr widen_index(const Expr& e);

}  // namespace tl
