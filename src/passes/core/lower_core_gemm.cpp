#include "passes/core/lower_core_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/simplify.h"
#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/core/core_checks.h"
#include "passes/core/core_memory.h"
#include "passes/core/lower_core_copy.h"
#include "passes/core/version_buffers.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// The longest extent of a product.
constexpr int64_t kLongest = 4095;

/// The most bytes of a place: half of L0A, or of L0B, so that the next part is loaded meanwhile.
int64_t most_bytes() { return core_capacity(MemorySpace::kL0A) / 2; }

/// A product as the cube unit makes it; `part` is 0 where it does not fit.
struct Extents {
  int64_t m, n, k, part;
};

/// The longest part of K whose operands fit a place. Best is one part, or an even number: then parts take places in
/// turn from one iteration of a loop to the next, too.
int64_t part_of_k(int64_t k, int64_t rows, const BufferNode& operand) {
  const int64_t unit = fractal_columns(operand), bytes = operand.dtype.bytes();
  int64_t in_turn = 0, any = 0;
  for (int64_t part = unit; part <= std::min(k, kLongest) && part * rows * bytes <= most_bytes(); part += unit) {
    if (k % part != 0) continue;
    any = part;
    if (k == part || k / part % 2 == 0) in_turn = part;
  }
  return in_turn != 0 ? in_turn : any;
}

Extents extents_of(const Gemm& gemm) {
  const auto a = static_extents(gemm.a), b = static_extents(gemm.b);
  TL_CHECK(a && b && a->size() >= 2 && b->size() >= 2, "a product of tiles of constant size");
  Extents out{(*a)[a->size() - 2], (*b)[b->size() - 2], a->back(), 0};
  if (out.m % kFractalRows == 0 && out.n % kFractalRows == 0) {
    out.part = part_of_k(out.k, std::max(out.m, out.n), *gemm.a.buffer);
  }
  return out;
}

bool is_of_l1(const Gemm& gemm) { return gemm.a.buffer->space == MemorySpace::kL1; }

/// Loads columns [first, first + part) of a tile in L1 to their place.
void load_part(Region tile, int64_t first, int64_t part, const Region& place, const Loc& loc, const Facts& facts,
               PassContext& context, Block& out) {
  const size_t last = tile.extents.size() - 1;
  tile.offsets[last] = offset_by(tile.offsets[last], Expr(static_cast<int>(first)));
  tile.extents[last] = Expr(static_cast<int>(part));
  auto copy = make_op<Copy>(loc);
  copy->src = std::move(tile);
  copy->dst = place;
  for (OpPtr& op : lower_fractal_copy(std::move(copy), facts, context)) out.push_back(std::move(op));
}

}  // namespace

L1Products::L1Products(const Launch& launch) {
  std::map<MemorySpace, int64_t> total, longest;
  visit_ops(launch.body, [&](const Op& op) {
    if (const auto* alloc = op.as<Alloc>()) {
      const MemorySpace space = alloc->buffer->space;
      if (space == MemorySpace::kL0A || space == MemorySpace::kL0B) total[space] += core_bytes(*alloc->buffer);
    }
    const auto* gemm = op.as<Gemm>();
    if (gemm == nullptr || !is_of_l1(*gemm)) return;
    const Extents e = extents_of(*gemm);
    const int64_t bytes = e.part * gemm->a.buffer->dtype.bytes();
    for (const auto& [space, rows] : {std::pair{MemorySpace::kL0A, e.m}, std::pair{MemorySpace::kL0B, e.n}}) {
      total[space] += 2 * rows * bytes;
      longest[space] = std::max(longest[space], rows * bytes);
    }
  });
  for (const auto& [space, bytes] : total) {
    if (bytes > core_capacity(space)) shared_bytes_[space] = longest[space];
  }
}

Block L1Products::lower(const Gemm& gemm, const For* loop, const Facts& facts, PassContext& context) {
  const Extents e = extents_of(gemm);
  if (e.part == 0) {
    const int64_t unit = fractal_columns(*gemm.a.buffer);
    context.diagnostics
        .error(31, gemm.loc, fmt::format("T.gemm: a product of {} x {} x {} does not fit the cube unit", e.m, e.n, e.k))
        .help = fmt::format(
        "M and N are multiples of {} and K is one of {}; {} elements along K of the longer of M and N take at most "
        "{} bytes",
        kFractalRows, unit, unit, most_bytes());
    return {};
  }
  const For* turns = e.k == e.part ? loop : nullptr;
  Region left, right;
  Block out;
  for (int64_t first = 0; first < e.k; first += e.part, ++turn_) {
    const bool own_a = shared_bytes_.count(MemorySpace::kL0A) == 0, own_b = shared_bytes_.count(MemorySpace::kL0B) == 0;
    if (first == 0 || !own_a) left = place(gemm.a, e.m, e.part, MemorySpace::kL0A, turns, gemm.loc);
    if (first == 0 || !own_b) right = place(gemm.b, e.n, e.part, MemorySpace::kL0B, turns, gemm.loc);
    if (own_a && turns == nullptr) left.offsets[0] = Expr(static_cast<int>(first / e.part % 2));
    if (own_b && turns == nullptr) right.offsets[0] = Expr(static_cast<int>(first / e.part % 2));
    load_part(gemm.a, first, e.part, left, gemm.loc, facts, context, out);
    load_part(gemm.b, first, e.part, right, gemm.loc, facts, context, out);
    OpPtr copy = clone(gemm);
    auto& own = static_cast<Gemm&>(*copy);
    own.a = left;
    own.b = right;
    if (first > 0) own.clear = make_bool(false);
    out.push_back(std::move(copy));
  }
  return out;
}

Region L1Products::place(const Region& tile, int64_t rows, int64_t part, MemorySpace space, const For* loop,
                         const Loc& loc) {
  if (shared_bytes_.count(space) != 0) return shared_place(tile, rows, part, space, loc);
  auto alloc = make_op<Alloc>(loc);
  alloc->buffer = make_buffer(tile.buffer->name + "_l0", tile.buffer->dtype,
                              {Expr(2), Expr(static_cast<int>(rows)), Expr(static_cast<int>(part))}, space, {}, loc);
  Region out = whole(alloc->buffer);
  out.extents[0] = Expr(1);
  if (loop != nullptr) {
    alloc->hints[kVersionsHint] = int64_t{2};
    out.offsets[0] = version_of(*loop, 2);
    out.extents[0] = make_int(loop->var.dtype(), 1);
  }
  hoisted_.push_back(std::move(alloc));
  return out;
}

Region L1Products::shared_place(const Region& tile, int64_t rows, int64_t part, MemorySpace space, const Loc& loc) {
  std::vector<Buffer>& places = shared_[space];
  while (places.size() < 2) {
    auto alloc = make_op<Alloc>(loc);
    const Expr columns(static_cast<int>(shared_bytes_[space] / kFractalRows));
    alloc->buffer = make_buffer(space == MemorySpace::kL0A ? "l0a" : "l0b", DType::i8(),
                                {Expr(static_cast<int>(kFractalRows)), columns}, space, {}, loc);
    places.push_back(alloc->buffer);
    hoisted_.push_back(std::move(alloc));
  }
  auto view = make_op<View>(loc);
  view->source = places[static_cast<size_t>(turn_ % 2)];
  const std::vector<Expr> shape = {Expr(static_cast<int>(rows)), Expr(static_cast<int>(part))};
  view->buffer = make_buffer(tile.buffer->name + "_l0", tile.buffer->dtype, shape, space,
                             {Expr(static_cast<int>(part)), Expr(1)}, loc);
  Region out = whole(view->buffer);
  hoisted_.push_back(std::move(view));
  return out;
}

Block lower_l0_gemm(OpPtr op, const Facts& facts, PassContext& context) {
  const Gemm& gemm = static_cast<const Gemm&>(*op);
  const Expr zero = make_zero(DType::i64());
  const auto some = [&](const Expr& extent) { return simplify(zero < widen_index(extent), facts); };
  const size_t rows = gemm.c.extents.size() - 2;
  const Expr runs = simplify(logical_and(some(gemm.c.extents[rows]), some(gemm.c.extents[rows + 1])), facts);
  const Expr adds = simplify(logical_or(some(gemm.a.extents.back()), logical_not(gemm.clear)), facts);
  Block out;
  bool good = ensure(adds, gemm, "T.gemm: the cube unit does not clear an accumulator for a product along no K",
                     "leave the product out where K is 0", context, out);
  for (const Expr& extent : {gemm.c.extents[rows], gemm.c.extents[rows + 1], gemm.a.extents.back()}) {
    const Expr fits = simplify(widen_index(extent) <= make_int(DType::i64(), kLongest), facts);
    good = good && ensure(is_const_int(fits, 0) ? fits : make_bool(true), gemm,
                          fmt::format("T.gemm: an extent of {}; the cube unit multiplies at most {}",
                                      python_text(extent), kLongest),
                          "multiply parts of the tiles", context, out);
  }
  if (!good) return {};
  const Loc loc = gemm.loc;
  out.push_back(std::move(op));
  if (is_const_int(runs, 1)) return out;
  auto branch = make_op<If>(loc);
  branch->condition = runs;
  branch->then_body = std::move(out);
  return one_op(std::move(branch));
}

}  // namespace tl
