#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tl {

/// Calls `visit(coordinate)`, a span of one index per dimension, for every coordinate below `extents` in row-major
/// order, until it returns false. Whether all returned true.
template <class Visit>
bool all_coordinates(std::span<const int64_t> extents, Visit&& visit) {
  std::vector<int64_t> coordinate(extents.size(), 0);
  for (int64_t extent : extents) {
    if (extent <= 0) return true;
  }
  while (true) {
    if (!visit(std::span<const int64_t>(coordinate))) return false;
    size_t dim = extents.size();
    while (dim > 0 && ++coordinate[dim - 1] == extents[dim - 1]) coordinate[--dim] = 0;
    if (dim == 0) return true;
  }
}

/// Strides of a dense row-major tile.
inline std::vector<int64_t> row_major_strides(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t i = extents.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * extents[i - 1];
  return strides;
}

}  // namespace tl
