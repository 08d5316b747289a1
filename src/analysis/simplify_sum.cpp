#include "analysis/bounds.h"
#include "analysis/simplify_steps.h"

namespace tl {
namespace {

/// Operations of the sum at the root: additions, subtractions, negations and products with a constant, down to the
/// atoms.
int sum_operations(const Expr& e) {
  if (const auto* n = e.as<UnaryNode>()) return n->op == UnaryOp::kNeg ? 1 + sum_operations(n->a) : 0;
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr) return 0;
  if (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub) return 1 + sum_operations(n->a) + sum_operations(n->b);
  const bool scaled = n->op == BinaryOp::kMul && (as_int(n->a) || as_int(n->b));
  return scaled ? 1 + sum_operations(n->a) + sum_operations(n->b) : 0;
}

bool is_sum(const Expr& e) {
  if (const auto* n = e.as<UnaryNode>()) return n->op == UnaryOp::kNeg;
  const auto* n = e.as<BinaryNode>();
  return n != nullptr && (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub || n->op == BinaryOp::kMul);
}

/// The multiple of `n` that all of `range` lies in: k where it is within [k * n, (k + 1) * n).
std::optional<Wide> bucket(Interval range, Wide n) {
  if (!range.bounded()) return std::nullopt;
  const Wide k = floor_div(range.lo, n);
  return k == floor_div(range.hi, n) ? std::optional(k) : std::nullopt;
}

struct Division {
  Expr dividend;
  Wide divisor;
  DType dtype;
};

/// sum // divisor = multiple + rest // divisor, where sum = multiple * divisor + rest.
Expr quotient(const Expr& e, const Division& d, const Facts& facts) {
  const auto sum = fit(ring_form(d.dividend), d.dtype, facts);
  if (!sum || sum->terms.empty()) return e;
  SplitForm split = split_by(*sum, d.divisor);
  const Interval rest = bounds(split.rest, facts);
  if (const auto k = bucket(rest, d.divisor)) {
    split.multiple.constant += *k;
    return to_expr(split.multiple, d.dtype);
  }
  if (!split.multiple.terms.empty() && Interval::of(d.dtype).contains(rest)) {
    const Expr rest_part = floordiv(to_expr(split.rest, d.dtype), make_int(d.dtype, static_cast<int64_t>(d.divisor)));
    return to_expr(split.multiple, d.dtype) + rest_part;
  }
  // A common factor of some terms and the divisor, with the rest too small to matter: (8 x + y) // 64 = x // 8.
  for (const LinearTerm& term : sum->terms) {
    const Wide factor = greatest_common_divisor(term.coefficient, d.divisor);
    if (factor == 1 || factor == d.divisor) continue;
    const SplitForm part = split_by(*sum, factor);
    const auto k = bucket(bounds(part.rest, facts), factor);
    if (!k) continue;
    LinearForm multiple = part.multiple;
    multiple.constant += *k;
    return floordiv(to_expr(multiple, d.dtype), make_int(d.dtype, static_cast<int64_t>(d.divisor / factor)));
  }
  return e;
}

/// sum % divisor = rest % divisor.
Expr remainder(const Expr& e, const Division& d, const Facts& facts) {
  const LinearForm ring = ring_form(d.dividend);
  // Wrap-around takes away multiples of 2^bits, which a power of two divides.
  const bool power_of_two = (d.divisor & (d.divisor - 1)) == 0;
  const auto fitted = fit(ring, d.dtype, facts);
  if (!fitted && !power_of_two) return e;
  const LinearForm sum = fitted.value_or(ring);
  if (sum.terms.empty()) return e;
  SplitForm split = split_by(sum, d.divisor);
  const Interval rest = bounds(split.rest, facts);
  if (const auto k = bucket(rest, d.divisor)) {
    split.rest.constant -= *k * d.divisor;
    return to_expr(split.rest, d.dtype);
  }
  const bool shorter = !split.multiple.terms.empty() || split.multiple.constant != 0;
  if (!shorter || !(power_of_two || Interval::of(d.dtype).contains(rest))) return e;
  return floormod(to_expr(split.rest, d.dtype), make_int(d.dtype, static_cast<int64_t>(d.divisor)));
}

}  // namespace

Expr collect_terms(const Expr& e) {
  if (!e.dtype().is_integral() || !is_sum(e)) return e;
  const Expr collected = to_expr(ring_form(e), e.dtype());
  return sum_operations(collected) < sum_operations(e) ? collected : e;
}

Expr divide_terms(const Expr& e, const Facts& facts) {
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr || !e.dtype().is_integral()) return e;
  if (n->op != BinaryOp::kFloorDiv && n->op != BinaryOp::kFloorMod) return e;
  const auto divisor = as_int(n->b);
  if (!divisor || *divisor <= 1) return e;
  const Division division = {n->a, *divisor, e.dtype()};
  Expr out = n->op == BinaryOp::kFloorDiv ? quotient(e, division, facts) : remainder(e, division, facts);
  return same(out, e) ? e : out;
}

}  // namespace tl
