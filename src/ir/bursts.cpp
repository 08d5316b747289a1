#include "ir/bursts.h"

#include "ir/index.h"

namespace tl {

std::vector<size_t> long_dims(const Region& region) {
  std::vector<size_t> out;
  for (size_t d = 0; d < region.extents.size(); ++d) {
    if (!is_const_int(region.extents[d], 1)) out.push_back(d);
  }
  return out;
}

namespace {

/// A dimension of a copy: how long it is, how long it can be in the tile on the chip, and the strides on both sides.
struct Dimension {
  Expr extent;
  std::optional<int64_t> most;
  Expr src, dst;
};

Expr product(const Expr& a, const Expr& b) {
  const auto x = as_int(a), y = as_int(b);
  if (x && y) return make_int(DType::i64(), *x * *y);
  if (x == 1) return widen_index(b);
  return y == 1 ? widen_index(a) : widen_index(a) * widen_index(b);
}

/// Whether the elements of an inner dimension follow each other from one index of the outer one to the next.
bool follow(const Dimension& outer, const Dimension& inner) {
  const auto spans = [&](const Expr& stride, const Expr& within) {
    return same(widen_index(stride), product(inner.extent, within));
  };
  return spans(outer.src, inner.src) && spans(outer.dst, inner.dst);
}

/// The long dimensions, as few as the same elements make.
std::vector<Dimension> dimensions_of(const Copy& copy) {
  const std::vector<size_t> from = long_dims(copy.src), to = long_dims(copy.dst);
  TL_CHECK(from.size() == to.size(), "a copy between regions of one shape");
  const std::vector<Expr> src = strides_of(*copy.src.buffer), dst = strides_of(*copy.dst.buffer);
  const bool stores = is_shared(copy.src.buffer->space);
  std::vector<Dimension> out;
  for (size_t i = from.size(); i-- > 0;) {
    const Dimension one{copy.src.extents[from[i]],
                        as_int(stores ? copy.src.buffer->shape[from[i]] : copy.dst.buffer->shape[to[i]]), src[from[i]],
                        dst[to[i]]};
    if (out.empty() || !follow(one, out.front())) {
      out.insert(out.begin(), one);
      continue;
    }
    Dimension& inner = out.front();
    inner.extent = product(one.extent, inner.extent);
    inner.most = one.most && inner.most ? std::optional(*one.most * *inner.most) : std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Bursts> bursts_of(const Copy& copy) {
  std::vector<Dimension> dims = dimensions_of(copy);
  Bursts out;
  if (!dims.empty() && is_const_int(dims.back().src, 1) && is_const_int(dims.back().dst, 1)) {
    out.columns = dims.back().extent;
    dims.pop_back();
  }
  if (dims.size() > 1) return std::nullopt;
  out.src_pitch = out.dst_pitch = out.columns;
  if (dims.empty()) return out;
  out.rows = dims[0].extent;
  out.most_rows = dims[0].most;
  out.src_pitch = dims[0].src;
  out.dst_pitch = dims[0].dst;
  return out;
}

}  // namespace tl
