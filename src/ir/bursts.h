#pragma once

// Copies as engines of an AI core make them.

#include <optional>
#include <vector>

#include "ir/ops.h"

namespace tl {

/// Bytes of a block of the unified buffer: where a burst begins there, and rows that are further apart than they are
/// long.
inline constexpr int64_t kBlockBytes = 32;

/// A copy between two memories of which none is of fractals: `rows` bursts of `columns` elements, whose starts are so
/// many elements apart on the two sides.
struct Bursts {
  Expr rows = 1, columns = 1;
  Expr src_pitch = 1, dst_pitch = 1;
  /// The number of rows of the tile on the chip; nothing where it is not a constant.
  std::optional<int64_t> most_rows = 1;
};

/// Dimensions of a region that are longer than 1, or may be.
std::vector<size_t> long_dims(const Region& region);

/// The bursts of a copy; nothing where it has more than one dimension beside the burst's own. Dimensions whose elements
/// follow each other on both sides are one. Requires: both regions have as many long dimensions.
std::optional<Bursts> bursts_of(const Copy& copy);

}  // namespace tl
