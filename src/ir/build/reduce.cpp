#include <fmt/format.h>

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/build/describe.h"
#include "ir/build/linear.h"
#include "ir/enum_names.h"
#include "ir/walk.h"

namespace tl {
namespace {

bool is_bitwise(ReduceKind kind) {
  return kind == ReduceKind::kBitAnd || kind == ReduceKind::kBitOr || kind == ReduceKind::kBitXor;
}

bool may_reduce(MemorySpace space) {
  return is_shared(space) || space == MemorySpace::kFragment || space == MemorySpace::kLocal ||
         space == MemorySpace::kVar;
}

bool equal_shapes(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), provably_equal);
}

std::vector<Expr> without_ones(std::vector<Expr> extents) {
  std::erase_if(extents, [](const Expr& e) { return is_const_int(e, 1); });
  return extents;
}

/// The dimension squeezed or kept as 1. Between slices, which keep the extents of 1 that indices leave, ones do not
/// count.
bool is_output_shape(const std::vector<Expr>& squeezed, const std::vector<Expr>& kept, const TileOperand& dst) {
  const std::vector<Expr>& given = dst.region.extents;
  if (equal_shapes(given, squeezed) || equal_shapes(given, kept)) return true;
  return dst.form == TileOperand::Form::kRegion && equal_shapes(without_ones(given), without_ones(kept));
}

std::string kinds_text() {
  std::string out;
  for (const std::string_view name : EnumNames<ReduceKind>::kNames)
    out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

}  // namespace

void Builder::wrong_scope(const std::string& what, const TileOperand& tile, bool& good) {
  Diagnostic& d = error(51, fmt::format("{}: Invalid buffer scopes: `{}` is in {} memory", what, tile.buffer()->name,
                                        space_name(tile.buffer()->space)));
  d.help = "copy the tile into shared memory or a fragment first";
  with_declaration(d, tile.buffer());
  good = false;
}

void Builder::scan(const std::string& kind, const TileOperand& src, const TileOperand& dst, int64_t dim, bool reverse) {
  const std::string what = "T.cum" + kind;
  if (!check_tile_op(what.c_str()) || !check_in_region(what.c_str())) return;
  bool good = check_region(what.c_str(), src.region) & check_region(what.c_str(), dst.region);
  for (const TileOperand* tile : {&src, &dst}) {
    const MemorySpace space = tile->buffer()->space;
    if (!is_shared(space) && space != MemorySpace::kFragment) wrong_scope(what, *tile, good);
  }
  const auto rank = static_cast<int64_t>(src.region.extents.size());
  if (dim < -rank || dim >= rank) {
    Diagnostic& d = error(53, fmt::format("{}: dimension {} is out of bounds for `{}` of shape {}", what, dim,
                                          src.buffer()->name, shape_text(src.region.extents)));
    d.help = fmt::format("use a dimension from {} to {}", -rank, rank - 1);
    return;
  }
  if (!equal_shapes(src.region.extents, dst.region.extents)) {
    Diagnostic& d =
        error(50, fmt::format("{}: `{}` is {}, but `{}` is {}", what, src.buffer()->name,
                              shape_text(src.region.extents), dst.buffer()->name, shape_text(dst.region.extents)));
    d.help = "give both the same shape";
    with_declaration(with_declaration(d, src.buffer()), dst.buffer());
    good = false;
  }
  if (src.buffer() == dst.buffer() && !all_same(src.region.offsets, dst.region.offsets)) {
    Diagnostic& d = error(34, fmt::format("{}: a part of `{}` goes into another part of it", what, src.buffer()->name));
    d.help = "scan it in place, or into another tile";
    good = false;
  }
  if (!good) return;
  auto op = make<Scan>();
  op->scan = kind == "max" ? ReduceKind::kMax : ReduceKind::kSum;
  op->src = src.region;
  op->dst = dst.region;
  op->dim = dim < 0 ? dim + rank : dim;
  op->reverse = reverse;
  add(std::move(op));
}

void Builder::reduce(const std::string& kind, const TileOperand& src, const TileOperand& dst, int64_t dim, bool clear,
                     Attrs hints) {
  const std::string what = "T.reduce_" + kind;
  if (!check_tile_op(what.c_str()) || !check_in_region(what.c_str())) return;
  const auto parsed = parse_enum<ReduceKind>(kind);
  if (!parsed) {
    error(52, fmt::format("Invalid reduce type `{}`", kind)).help = "use one of " + kinds_text();
    return;
  }
  bool good = check_region(what.c_str(), src.region) & check_region(what.c_str(), dst.region);
  for (const TileOperand* tile : {&src, &dst}) {
    if (!may_reduce(tile->buffer()->space)) wrong_scope(what, *tile, good);
  }
  if (is_bitwise(*parsed) && (src.buffer()->dtype.is_floating() || dst.buffer()->dtype.is_floating())) {
    Diagnostic& d = error(80, fmt::format("{} takes integers or bool, not {}", what, src.buffer()->dtype.name()));
    d.help = "use sum, max or min for floats";
    with_declaration(d, src.buffer());
    good = false;
  }
  const auto rank = static_cast<int64_t>(src.region.extents.size());
  if (dim < -rank || dim >= rank) {
    Diagnostic& d =
        error(53, fmt::format("{}: dimension {} is out of range for `{}` of shape {} (Invalid reduce output shape)",
                              what, dim, src.buffer()->name, shape_text(src.region.extents)));
    d.help = fmt::format("use a dimension from {} to {}", -rank, rank - 1);
    return;
  }
  const int64_t axis = dim < 0 ? dim + rank : dim;
  std::vector<Expr> kept = src.region.extents, squeezed = kept;
  kept[axis] = 1;
  squeezed.erase(squeezed.begin() + axis);
  if (!is_output_shape(squeezed, kept, dst)) {
    Diagnostic& d = error(
        50, fmt::format("{}: Invalid reduce output shape: {} reduced along dimension {} gives {} or {}, but `{}` is {}",
                        what, shape_text(src.region.extents), axis, shape_text(squeezed), shape_text(kept),
                        dst.buffer()->name, shape_text(dst.region.extents)));
    d.help = fmt::format("give `{}` one of the two shapes", dst.buffer()->name);
    with_declaration(with_declaration(d, src.buffer()), dst.buffer());
    good = false;
  }
  if (!good) return;
  auto op = make<Reduce>();
  op->reduce = *parsed;
  op->src = src.region;
  op->dst = dst.region;
  op->dim = axis;
  op->clear = clear;
  op->hints = std::move(hints);
  add(std::move(op));
}

}  // namespace tl
