#pragma once

#include <optional>
#include <vector>

#include "ir/buffer.h"
#include "ir/index.h"
#include "ir/ops.h"

namespace tl {

/// One dimension of a copy: where it stands on both sides, and how long it is. Dimensions of extent 1 that the other
/// side does not have stand on one side only.
struct MatchedDim {
  std::optional<size_t> src, dst;
  Expr extent;
};

/// Pairs the dimensions of two regions from the last one, extents of 1 aside; outermost first.
std::vector<MatchedDim> match_dims(const Region& src, const Region& dst);
/// Those of a copy, which may transpose; outermost of the source first.
std::vector<MatchedDim> match_dims(const Copy& copy);

/// `offset + by` in 64 bits, for an int64 `by`.
Expr advanced(const Expr& offset, const Expr& by);

}  // namespace tl
