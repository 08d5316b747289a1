#include "analysis/bounds.h"

#include <algorithm>

#include "ir/intrinsics.h"

namespace tl {
namespace {

bool is_exact_class(DType t) { return t.is_integral() || t.is_bool(); }

/// `range` where it fits the dtype, else all that wrap-around may give.
Interval fitted(Interval range, DType t) {
  const Interval values = Interval::of(t);
  return values.contains(range) ? range : values;
}

/// Smallest 2^k - 1 that is not below `value`. Precondition: `value >= 0`.
Wide mask_above(Wide value) {
  Wide mask = 0;
  while (mask < value) mask = mask * 2 + 1;
  return mask;
}

Interval shift_left(Interval x, Interval count, DType t) {
  if (count.lo < 0 || count.hi >= t.bits()) return Interval::of(t);
  return fitted(x * Interval{Wide{1} << static_cast<int>(count.lo), Wide{1} << static_cast<int>(count.hi)}, t);
}

Interval shift_right(Interval x, Interval count, DType t) {
  if (count.lo < 0 || count.hi >= t.bits()) {
    // Everything shifted out leaves 0 or, of a negative value, -1.
    return {x.lo < 0 ? x.lo : 0, x.hi < 0 ? -1 : x.hi};
  }
  return floor_div(x, Interval{Wide{1} << static_cast<int>(count.lo), Wide{1} << static_cast<int>(count.hi)});
}

Interval bit_and(Interval a, Interval b, DType t) {
  if (a.lo < 0 && b.lo < 0) return Interval::of(t);
  if (a.lo < 0) return {0, b.hi};
  return {0, b.lo < 0 ? a.hi : std::min(a.hi, b.hi)};
}

Interval bit_or(Interval a, Interval b, DType t) {
  if (a.lo < 0 || b.lo < 0) return Interval::of(t);
  return {0, mask_above(std::max(a.hi, b.hi))};
}

Interval compare(BinaryOp op, Interval a, Interval b) {
  std::optional<bool> value;
  switch (op) {
    case BinaryOp::kLt:
      value = less(a, b);
      break;
    case BinaryOp::kGt:
      value = less(b, a);
      break;
    case BinaryOp::kGe:
      if (const auto below = less(a, b)) value = !*below;
      break;
    case BinaryOp::kLe:
      if (const auto below = less(b, a)) value = !*below;
      break;
    default:
      if (less(a, b) == true || less(b, a) == true) value = op == BinaryOp::kNe;
      if (a.is_point() && a == b) value = op == BinaryOp::kEq;
  }
  return value ? Interval::point(*value ? 1 : 0) : Interval{0, 1};
}

Interval arithmetic(BinaryOp op, Interval a, Interval b, DType t) {
  switch (op) {
    case BinaryOp::kAdd:
      return fitted(a + b, t);
    case BinaryOp::kSub:
      return fitted(a - b, t);
    case BinaryOp::kMul:
      return fitted(a * b, t);
    case BinaryOp::kFloorDiv:
      return fitted(floor_div(a, b), t);
    case BinaryOp::kFloorMod:
      return floor_mod(a, b);
    case BinaryOp::kTruncDiv:
      return fitted(trunc_div(a, b), t);
    case BinaryOp::kTruncMod:
      return trunc_mod(a, b);
    case BinaryOp::kMin:
      return min(a, b);
    case BinaryOp::kMax:
      return max(a, b);
    case BinaryOp::kBitAnd:
      return bit_and(a, b, t);
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
      return bit_or(a, b, t);
    case BinaryOp::kShl:
      return shift_left(a, b, t);
    case BinaryOp::kShr:
      return shift_right(a, b, t);
    default:
      return Interval::of(t);
  }
}

Interval of_binary(const BinaryNode& n, const Facts& facts) {
  if (!is_exact_class(n.a.dtype())) return Interval::of(n.dtype);
  const Interval a = bounds(n.a, facts), b = bounds(n.b, facts);
  if (is_comparison(n.op)) return compare(n.op, a, b);
  if (n.op == BinaryOp::kAnd) return min(a, b);
  if (n.op == BinaryOp::kOr) return max(a, b);
  return arithmetic(n.op, a, b, n.dtype);
}

Interval of_unary(const UnaryNode& n, const Facts& facts) {
  const Interval a = bounds(n.a, facts);
  switch (n.op) {
    case UnaryOp::kNeg:
      return fitted(-a, n.dtype);
    case UnaryOp::kBitNot: {
      const Interval all = Interval::of(n.dtype);
      return Interval::point(all.lo + all.hi) - a;
    }
    case UnaryOp::kNot:
      return Interval::point(1) - a;
    case UnaryOp::kAbs:
      if (a.lo >= 0) return a;
      return fitted({a.hi < 0 ? -a.hi : 0, std::max(-a.lo, a.hi)}, n.dtype);
  }
  return Interval::of(n.dtype);
}

Interval of_cast(const CastNode& n, const Facts& facts) {
  if (!is_exact_class(n.a.dtype())) return Interval::of(n.dtype);
  const Interval a = bounds(n.a, facts);
  if (!n.dtype.is_bool()) return fitted(a, n.dtype);
  if (a == Interval::point(0)) return a;
  return a.contains(0) ? Interval{0, 1} : Interval::point(1);
}

Interval of_call(const CallNode& n) {
  const auto fn = n.intrinsic->math;
  const bool counts = fn == MathFn::kPopcount || fn == MathFn::kClz || fn == MathFn::kFfs;
  return counts ? Interval{0, n.args[0].dtype().bits()} : Interval::of(n.dtype);
}

Interval of_node(const Expr& e, const Facts& facts) {
  if (const auto* n = e.as<ConstNode>()) {
    return Interval::point(e.dtype().is_uint() ? static_cast<Wide>(n->value.as_uint()) : Wide{n->value.as_int()});
  }
  if (const auto* n = e.as<BinaryNode>()) return of_binary(*n, facts);
  if (const auto* n = e.as<UnaryNode>()) return of_unary(*n, facts);
  if (const auto* n = e.as<CastNode>()) return of_cast(*n, facts);
  if (const auto* n = e.as<CallNode>()) return of_call(*n);
  if (const auto* n = e.as<SelectNode>()) {
    const Interval condition = bounds(n->condition, facts);
    if (condition.is_point()) return bounds(condition.lo != 0 ? n->a : n->b, facts);
    return join(bounds(n->a, facts), bounds(n->b, facts));
  }
  return Interval::of(e.dtype());
}

bool is_sum(const Expr& e) {
  if (const auto* n = e.as<UnaryNode>()) return n->op == UnaryOp::kNeg;
  const auto* n = e.as<BinaryNode>();
  return n != nullptr && (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub);
}

/// `known` cut down by what else holds; contradictions mean that the place is never reached, and change nothing.
Interval narrowed(Interval known, Interval more) {
  const Interval both = intersect(known, more);
  return both.empty() ? known : both;
}

}  // namespace

Interval bounds(const Expr& e, const Facts& facts) {
  if (!is_exact_class(e.dtype()) || e.dtype().is_vector()) return Interval::everything();
  const auto cached = facts.bounds_cache().find(e);
  if (cached != facts.bounds_cache().end()) return cached->second;
  Interval range = of_node(e, facts);
  // Terms of a sum that cancel are seen in its linear form only: x - x, or (x + 3) - x.
  if (is_sum(e) && e.dtype().is_integral()) {
    const LinearForm form = exact_form(e, facts);
    if (form.terms.size() != 1 || !same(form.terms[0].atom, e)) range = narrowed(range, bounds(form, facts));
  }
  if (const Facts::Entry* entry = facts.find(e)) {
    range = narrowed(range, entry->range);
    if (entry->value) range = narrowed(range, bounds(entry->value, facts));
  }
  if (e.kind() != ExprKind::kConst) facts.bounds_cache().emplace(e, range);
  return range;
}

std::optional<int64_t> constant_value(const Expr& e, const Facts& facts) {
  const Interval range = bounds(e, facts);
  if (!range.is_point() || !range.bounded()) return std::nullopt;
  return static_cast<int64_t>(range.lo);
}

}  // namespace tl
