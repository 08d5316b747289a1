#pragma once

#include <functional>

#include "ir/expr.h"

namespace tl {

/// The int64 value that an expression has as an index. In subscripts, offsets, extents and loop bounds signed
/// arithmetic does not wrap: additions, multiplications, divisions and the like are made in 64 bits on widened
/// operands. Unsigned arithmetic, bit operations, loads and named values keep their own width and are widened as they
/// are.
Expr widen_index(const Expr& e);

/// The index `e` after `f`, which keeps the value of what it is given. In the index's own dtype constants would fold
/// with wrap-around, so where that makes a difference `f` is applied to the widened index; the result then has the
/// dtype of `e` where that holds its constants, else int64.
Expr map_index(const Expr& e, const std::function<Expr(const Expr&)>& f);

}  // namespace tl
