#include "ir/tile_match.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace tl {

std::vector<MatchedDim> match_dims(const Region& src, const Region& dst) {
  std::vector<MatchedDim> out;
  size_t s = src.extents.size(), d = dst.extents.size();
  while (s > 0 || d > 0) {
    const bool src_one = s > 0 && is_const_int(src.extents[s - 1], 1);
    const bool dst_one = d > 0 && is_const_int(dst.extents[d - 1], 1);
    MatchedDim dim;
    if (s > 0 && d > 0 && src_one == dst_one) {
      dim = {--s, --d, Expr()};
      // A constant says more than an expression of the same value.
      dim.extent = as_int(src.extents[s]) ? src.extents[s] : dst.extents[d];
    } else if (src_one) {
      dim = {--s, std::nullopt, src.extents[s]};
    } else if (dst_one) {
      dim = {std::nullopt, --d, dst.extents[d]};
    } else {
      internal_error(__FILE__, __LINE__, "match", "regions of a copy do not match");
    }
    out.push_back(dim);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<MatchedDim> match_dims(const Copy& copy) {
  if (!transposes(copy)) return match_dims(copy.src, copy.dst);
  const size_t last = copy.dst.extents.size() - 1;
  Region turned = copy.dst;
  std::swap(turned.extents[last], turned.extents[last - 1]);
  std::vector<MatchedDim> out = match_dims(copy.src, turned);
  for (MatchedDim& dim : out) {
    if (dim.dst && *dim.dst + 1 >= last) dim.dst = 2 * last - 1 - *dim.dst;
  }
  return out;
}

Expr advanced(const Expr& offset, const Expr& by) {
  const Expr wide = widen_index(offset);
  if (is_const_int(wide, 0)) return by;
  return is_const_int(by, 0) ? wide : wide + by;
}

}  // namespace tl
