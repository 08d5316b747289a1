#include "passes/core/lower_core_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/simplify.h"
#include "ir/index.h"
#include "passes/core/lower_core_copy.h"
#include "passes/core/version_buffers.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// Bytes of L0A, and of L0B; an operand takes half, so that the next one is loaded meanwhile.
constexpr int64_t kL0Bytes = 64 * 1024;

/// The longest part of K whose operands take half of L0A and of L0B, of which K has one or an even number: then parts
/// take the halves in turn.
int64_t part_of_k(int64_t k, int64_t rows, const BufferNode& operand) {
  const int64_t unit = fractal_columns(operand), bytes = operand.dtype.bytes();
  int64_t best = 0;
  for (int64_t part = unit; part <= k; part += unit) {
    const bool in_turn = k % part == 0 && (k == part || k / part % 2 == 0);
    if (in_turn && part * rows * bytes <= kL0Bytes / 2) best = part;
  }
  return best;
}

/// Two tiles of L0, and the one whose turn it is: by the iteration of a loop that has one part each, else the first.
Region halves(const Region& tile, int64_t rows, int64_t part, MemorySpace space, const For* loop, Block& hoisted,
              const Loc& loc) {
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
  hoisted.push_back(std::move(alloc));
  return out;
}

/// Columns [first, first + part) of a tile in L1, in the half of L0 whose turn it is.
Region loaded(Region tile, int64_t first, int64_t part, Region half, const Loc& loc, const Facts& facts,
              PassContext& context, Block& out) {
  const size_t last = tile.extents.size() - 1;
  tile.offsets[last] = offset_by(tile.offsets[last], Expr(static_cast<int>(first)));
  tile.extents[last] = Expr(static_cast<int>(part));
  if (first / part % 2 != 0) half.offsets[0] = Expr(1);
  auto copy = make_op<Copy>(loc);
  copy->src = std::move(tile);
  copy->dst = half;
  for (OpPtr& op : lower_fractal_copy(std::move(copy), facts, context)) out.push_back(std::move(op));
  return half;
}

}  // namespace

Block lower_l1_gemm(const Gemm& gemm, const For* loop, Block& hoisted, const Facts& facts, PassContext& context) {
  const auto a = static_extents(gemm.a), b = static_extents(gemm.b);
  TL_CHECK(a && b && a->size() >= 2 && b->size() >= 2, "a product of tiles of constant size");
  const int64_t m = (*a)[a->size() - 2], k = a->back(), n = (*b)[b->size() - 2];
  const int64_t unit = fractal_columns(*gemm.a.buffer), part = part_of_k(k, std::max(m, n), *gemm.a.buffer);
  if (part == 0 || m % 16 != 0 || n % 16 != 0) {
    context.diagnostics
        .error(31, gemm.loc, fmt::format("T.gemm: a product of {} x {} x {} does not fit the cube unit", m, n, k))
        .help = fmt::format(
        "M and N are multiples of 16 and K is one of {}; {} elements along K of the longer of M and N take at most "
        "{} bytes",
        unit, unit, kL0Bytes / 2);
    return {};
  }
  const Region left = halves(gemm.a, m, part, MemorySpace::kL0A, k == part ? loop : nullptr, hoisted, gemm.loc);
  const Region right = halves(gemm.b, n, part, MemorySpace::kL0B, k == part ? loop : nullptr, hoisted, gemm.loc);
  Block out;
  for (int64_t first = 0; first < k; first += part) {
    OpPtr copy = clone(gemm);
    auto& own = static_cast<Gemm&>(*copy);
    own.a = loaded(gemm.a, first, part, left, gemm.loc, facts, context, out);
    own.b = loaded(gemm.b, first, part, right, gemm.loc, facts, context, out);
    if (first > 0) own.clear = make_bool(false);
    out.push_back(std::move(copy));
  }
  return out;
}

Block lower_l0_gemm(OpPtr op, const Facts& facts) {
  const Gemm& gemm = static_cast<const Gemm&>(*op);
  const Expr zero = make_zero(DType::i64());
  const auto some = [&](const Expr& extent) { return simplify(zero < widen_index(extent), facts); };
  const size_t rows = gemm.c.extents.size() - 2;
  const Expr runs = simplify(logical_and(some(gemm.c.extents[rows]), some(gemm.c.extents[rows + 1])), facts);
  const Expr adds = simplify(logical_or(some(gemm.a.extents.back()), logical_not(gemm.clear)), facts);
  Block out;
  if (!is_const_int(adds, 1)) {
    auto check = make_op<Assert>(gemm.loc);
    check->condition = adds;
    check->message = "T.gemm: the cube unit does not clear an accumulator for a product along no K";
    out.push_back(std::move(check));
  }
  const Loc loc = gemm.loc;
  out.push_back(std::move(op));
  if (is_const_int(runs, 1)) return out;
  auto branch = make_op<If>(loc);
  branch->condition = runs;
  branch->then_body = std::move(out);
  return one_op(std::move(branch));
}

}  // namespace tl
