#include "passes/core/lower_core_copy.h"

#include <fmt/format.h>

#include "analysis/bounds.h"
#include "analysis/simplify.h"
#include "ir/bursts.h"
#include "ir/index.h"
#include "ir/text.h"
#include "ir/tile_match.h"
#include "passes/core/core_checks.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

Expr constant(int64_t value) { return make_int(DType::i64(), value); }

/// Whether an engine can reach the tile's part of a copy with these bursts.
Expr is_reached(const Region& tile, const Bursts& bursts, const Expr& pitch, const Facts& facts) {
  const int64_t bits = tile.buffer->dtype.storage_bits();
  if (bits % 8 != 0) return make_bool(true);
  const std::vector<Expr> strides = strides_of(*tile.buffer);
  Expr first = constant(0);
  for (size_t d = 0; d < strides.size(); ++d) first = first + widen_index(tile.offsets[d]) * widen_index(strides[d]);
  const Expr begins = is_multiple(simplify(first * constant(bits / 8), facts), kBlockBytes, facts);
  const Expr rows_begin = is_multiple(widen_index(pitch) * constant(bits / 8), kBlockBytes, facts);
  const Expr follow = logical_or(simplify(widen_index(bursts.rows) <= constant(1), facts),
                                 simplify(equal(widen_index(pitch), widen_index(bursts.columns)), facts));
  return simplify(logical_and(begins, logical_or(rows_begin, follow)), facts);
}

/// The copy by threads, an element each.
OpPtr by_threads(const Copy& copy, int64_t threads) {
  const std::vector<size_t> from = long_dims(copy.src), to = long_dims(copy.dst);
  std::vector<Expr> extents;
  for (const size_t d : from) extents.push_back(copy.src.extents[d]);
  auto group = make_op<Group>(copy.loc);
  group->engine = kSimtEngine;
  group->count = threads;
  group->body.push_back(make_points(extents, copy.loc, [&](const std::vector<Var>& at) {
    std::vector<Expr> read = copy.src.offsets, write = copy.dst.offsets;
    for (size_t i = 0; i < at.size(); ++i) {
      read[from[i]] = offset_by(read[from[i]], at[i]);
      write[to[i]] = offset_by(write[to[i]], at[i]);
    }
    return one_op(make_store(copy.dst.buffer, std::move(write), load(copy.src.buffer, std::move(read)), copy.loc));
  }));
  return group;
}

/// The copy of one plane at a time.
OpPtr by_planes(OpPtr op, size_t from, size_t to, Facts facts, const std::function<Block(OpPtr, Facts&)>& plane) {
  auto& copy = static_cast<Copy&>(*op);
  auto loop = make_op<For>(copy.loc);
  loop->var = Var("plane", DType::i64());
  loop->begin = constant(0);
  loop->end = widen_index(copy.src.extents[from]);
  loop->step = constant(1);
  loop->loop = LoopKind::kSerial;
  copy.src.offsets[from] = advanced(copy.src.offsets[from], loop->var);
  copy.dst.offsets[to] = advanced(copy.dst.offsets[to], loop->var);
  copy.src.extents[from] = copy.dst.extents[to] = Expr(1);
  facts.add_loop(loop->var, loop->begin, loop->end, loop->step);
  loop->body = plane(std::move(op), facts);
  return loop;
}

}  // namespace

Block lower_unified_copy(OpPtr op, const Facts& facts, const std::function<int64_t()>& threads) {
  const Copy& copy = static_cast<const Copy&>(*op);
  const std::optional<Bursts> bursts = bursts_of(copy);
  if (!bursts) {
    return one_op(
        by_planes(std::move(op), long_dims(copy.src)[0], long_dims(copy.dst)[0], facts,
                  [&](OpPtr plane, Facts& inside) { return lower_unified_copy(std::move(plane), inside, threads); }));
  }
  const bool loads = is_shared(copy.dst.buffer->space);
  const Expr reached =
      is_reached(loads ? copy.dst : copy.src, *bursts, loads ? bursts->dst_pitch : bursts->src_pitch, facts);
  if (is_const_int(reached, 1)) return one_op(std::move(op));
  OpPtr slow = by_threads(copy, threads());
  if (is_const_int(reached, 0)) return one_op(std::move(slow));
  auto branch = make_op<If>(copy.loc);
  branch->condition = reached;
  branch->then_body = one_op(std::move(op));
  branch->else_body = one_op(std::move(slow));
  return one_op(std::move(branch));
}

Block lower_fractal_copy(OpPtr op, const Facts& facts, PassContext& context) {
  const Copy& copy = static_cast<const Copy&>(*op);
  const bool loads = copy.src.buffer->space == MemorySpace::kGlobal;
  for (const MatchedDim& dim : match_dims(copy)) {
    const Region& tile = loads ? copy.dst : copy.src;
    const std::optional<size_t> at = loads ? dim.dst : dim.src;
    if (!at || *at + 2 >= tile.extents.size() || is_const_int(tile.extents[*at], 1)) continue;
    return one_op(by_planes(std::move(op), *dim.src, *dim.dst, facts, [&](OpPtr plane, Facts& inside) {
      return lower_fractal_copy(std::move(plane), inside, context);
    }));
  }
  Block out;
  const auto begins_at = [&](const Region& tile, const Expr& offset, int64_t unit, const char* of) {
    return ensure(
        is_multiple(offset, unit, facts), copy,
        fmt::format("T.copy: the part of `{}` begins inside of a fractal of {} {}", tile.buffer->name, unit, of),
        "begin at the first row and column of one", context, out);
  };
  // Whole fractals move to L0; rows of one elsewhere.
  const bool to_l0 = copy.dst.buffer->space == MemorySpace::kL0A || copy.dst.buffer->space == MemorySpace::kL0B;
  for (const Region* side : {&copy.src, &copy.dst}) {
    const BufferNode& b = *side->buffer;
    if (b.space == MemorySpace::kGlobal || is_shared(b.space)) continue;
    if (!begins_at(*side, side->offsets.back(), fractal_columns(b), "columns")) return {};
    if (to_l0 && !begins_at(*side, side->offsets[b.rank() - 2], kFractalRows, "rows")) return {};
  }
  if (const int64_t block = transposed_block(copy.src.buffer->dtype);
      to_l0 && transposes(copy) && block > kFractalRows) {
    const BufferNode& b = *copy.dst.buffer;
    const Expr& height = b.shape[b.rank() - 2];
    const bool fits = ensure(
        is_multiple(height, block, facts), copy,
        fmt::format(
            "T.copy: `{}` lies in L0 as {} rows, but a load that transposes elements of {} bits makes {} at once",
            b.name, python_text(height), b.dtype.bits(), block),
        fmt::format("use a multiple of {}, or lay the tensor out so that nothing is transposed", block), context, out);
    if (!fits) return {};
  }
  out.push_back(std::move(op));
  return out;
}

}  // namespace tl
