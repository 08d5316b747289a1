// narrow-indices
//
// before:  if cast(int64, %bx) * 64:int64 + cast(int64, %tx) < 1000:int64 { … }        # bx < 16, tx < 64
// after:   if %bx * 64 + %tx < 1000 { … }
//
// Indices do not wrap, so guards are made in 64 bits, which devices compute in several instructions each.

#include "passes/thread/narrow_indices.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/thread/call_assumptions.h"

namespace tl {
namespace {

const DType kNarrow = DType::i32();

bool fits(const Expr& e, const Facts& facts) {
  const Interval range = bounds(e, facts), narrow = Interval::of(kNarrow);
  return range.lo >= narrow.lo && range.hi <= narrow.hi;
}

/// The value of a 64-bit expression, computed in 32 bits; none where a part of it may not fit.
std::optional<Expr> narrowed(const Expr& e, const Facts& facts) {
  if (e.dtype() == kNarrow) return e;
  if (const auto value = as_int(e)) {
    if (*value < INT32_MIN || *value > INT32_MAX) return std::nullopt;
    return make_int(kNarrow, *value);
  }
  if (const auto* n = e.as<CastNode>()) {
    if (n->a.dtype() == kNarrow) return n->a;
    if (!n->a.dtype().is_integral() || n->a.dtype().bits() > 16) return std::nullopt;
    return cast(kNarrow, n->a);
  }
  if (e.kind() == ExprKind::kVar && e.dtype() == DType::i64() && fits(e, facts)) return cast(kNarrow, e);
  if (e.dtype() != DType::i64() || !fits(e, facts)) return std::nullopt;
  if (const auto* n = e.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNeg) {
    const auto a = narrowed(n->a, facts);
    return a ? std::optional(unary(n->op, *a)) : std::nullopt;
  }
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr) return std::nullopt;
  const bool arithmetic = n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub || n->op == BinaryOp::kMul ||
                          n->op == BinaryOp::kFloorDiv || n->op == BinaryOp::kFloorMod || n->op == BinaryOp::kMin ||
                          n->op == BinaryOp::kMax;
  if (!arithmetic) return std::nullopt;
  const auto a = narrowed(n->a, facts), b = narrowed(n->b, facts);
  if (!a || !b) return std::nullopt;
  return binary(n->op, *a, *b);
}

Expr with_narrow_comparisons(const Expr& e, const Facts& facts) {
  if (const auto* n = e.as<BinaryNode>(); n != nullptr && is_comparison(n->op) && n->a.dtype() == DType::i64()) {
    const auto a = narrowed(n->a, facts), b = narrowed(n->b, facts);
    if (a && b) return binary(n->op, *a, *b);
  }
  return map_operands(e, [&](const Expr& operand) { return with_narrow_comparisons(operand, facts); });
}

/// Whether every step of the index's arithmetic fits.
bool index_fits(const Expr& index, const Facts& facts) {
  bool all = true;
  visit_exprs(widen_index(index), [&](const Expr& part) {
    if (part.dtype() == DType::i64() && part.kind() != ExprKind::kLoad) all = all && fits(part, facts);
  });
  return all;
}

/// Whether offsets of all elements fit, and the sums on the way to them. An access is inside its tensor.
bool every_offset_fits(const BufferNode& buffer, const Facts& facts) {
  if (buffer.space != MemorySpace::kGlobal) return false;
  const Expr most = make_int(DType::i64(), INT32_MAX);
  const auto within = [&](const Expr& e) { return bounds(e, facts).lo >= 0 && holds(e <= most, facts); };
  std::vector<Expr> spans = spans_of(buffer);
  for (const Expr& stride : buffer.strides) spans.push_back(widen_index(stride));
  return std::all_of(spans.begin(), spans.end(), within);
}

bool offset_fits(const Buffer& buffer, const std::vector<Expr>& indices, const Facts& facts) {
  if (!std::all_of(indices.begin(), indices.end(), [&](const Expr& e) { return index_fits(e, facts); })) return false;
  const std::vector<Expr> strides = strides_of(*buffer);
  Expr offset = make_int(DType::i64(), 0);
  for (size_t d = 0; d < indices.size(); ++d) {
    offset = offset + widen_index(indices[d]) * widen_index(strides[d]);
    if (!fits(offset, facts)) return every_offset_fits(*buffer, facts);
  }
  return true;
}

bool accesses_fit(const Op& op, const Facts& facts) {
  bool all = true;
  for_each_expr(op, [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* n = part.as<LoadNode>()) all = all && offset_fits(n->buffer, n->indices, facts);
    });
  });
  if (const auto* store = op.as<Store>()) all = all && offset_fits(store->buffer, store->indices, facts);
  if (const auto* loop = op.as<For>()) {
    all = all && index_fits(loop->begin, facts) && index_fits(loop->end, facts) && index_fits(loop->step, facts);
  }
  return all;
}

}  // namespace

void narrow_indices(Function& function, PassContext&) {
  Facts facts(function);
  rewrite_ops(function.body, facts, [](OpPtr op, Facts& here) {
    map_exprs(*op, [&](const Expr& e) { return with_narrow_comparisons(e, here); });
    Block out;
    out.push_back(std::move(op));
    return out;
  });
  std::unordered_map<const Op*, bool> narrow;
  const Op* launch = nullptr;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& here) {
    if (op.kind == OpKind::kLaunch) {
      launch = &op;
      narrow[launch] = true;
    } else if (launch != nullptr) {
      narrow[launch] = narrow[launch] && accesses_fit(op, here);
    }
  });
  visit_ops(function.body, [&](Op& op) {
    if (auto* found = op.as<Launch>()) found->hints["index_bits"] = int64_t{narrow[found] ? 32 : 64};
  });
}

}  // namespace tl
