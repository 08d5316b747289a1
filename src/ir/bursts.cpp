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

std::optional<Bursts> bursts_of(const Copy& copy) {
  const std::vector<size_t> from = long_dims(copy.src), to = long_dims(copy.dst);
  TL_CHECK(from.size() == to.size(), "a copy between regions of one shape");
  Bursts out;
  if (from.empty()) return out;
  const std::vector<Expr> src = strides_of(*copy.src.buffer), dst = strides_of(*copy.dst.buffer);
  const size_t last = from.size() - 1;
  const bool rows_move = is_const_int(src[from[last]], 1) && is_const_int(dst[to[last]], 1);
  const size_t outer = rows_move ? from.size() - 1 : from.size();
  if (outer > 1) return std::nullopt;
  if (rows_move) out.columns = copy.src.extents[from[last]];
  if (outer == 0) {
    out.src_pitch = out.dst_pitch = out.columns;
    return out;
  }
  out.rows = copy.src.extents[from[0]];
  out.most_rows =
      as_int(is_shared(copy.src.buffer->space) ? copy.src.buffer->shape[from[0]] : copy.dst.buffer->shape[to[0]]);
  out.src_pitch = src[from[0]];
  out.dst_pitch = dst[to[0]];
  // Rows that follow each other on both sides are one.
  if (same(widen_index(out.src_pitch), widen_index(out.columns)) &&
      same(widen_index(out.dst_pitch), widen_index(out.columns))) {
    if (!is_const_int(out.rows, 1)) out.columns = widen_index(out.rows) * widen_index(out.columns);
    out.rows = Expr(1);
    out.most_rows = 1;
    out.src_pitch = out.dst_pitch = out.columns;
  }
  return out;
}

}  // namespace tl
