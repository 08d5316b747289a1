#pragma once

#include <functional>
#include <string>

#include "ir/op.h"

namespace tl {

/// The laws of one op that its field types cannot say: dtypes, ranks and counts that belong together.
void verify_op(const Op& op, const std::function<void(std::string)>& problem);

/// The extents of a region with those that are the constant 1 left out: what copies, gemms and reductions match.
std::vector<Expr> tile_extents(const Region& region);

}  // namespace tl
