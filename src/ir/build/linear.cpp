#include "ir/build/linear.h"

#include <algorithm>

namespace tl {
namespace {

/// constant + sum of coefficient * atom. Coefficients wrap at 64 bits, which agrees with any narrower width.
struct Linear {
  std::vector<std::pair<Expr, uint64_t>> terms;
  uint64_t constant = 0;

  void add_atom(const Expr& atom, uint64_t scale) {
    for (auto& [e, coefficient] : terms) {
      if (!same(e, atom)) continue;
      coefficient += scale;
      return;
    }
    terms.emplace_back(atom, scale);
  }

  void add(const Expr& e, uint64_t scale) {
    if (const auto value = as_int(e)) {
      constant += scale * static_cast<uint64_t>(*value);
      return;
    }
    if (const auto* n = e.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNeg) return add(n->a, 0 - scale);
    const auto* n = e.as<BinaryNode>();
    if (n != nullptr && (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub)) {
      add(n->a, scale);
      return add(n->b, n->op == BinaryOp::kAdd ? scale : 0 - scale);
    }
    if (n != nullptr && n->op == BinaryOp::kMul) {
      if (const auto value = as_int(n->b)) return add(n->a, scale * static_cast<uint64_t>(*value));
      if (const auto value = as_int(n->a)) return add(n->b, scale * static_cast<uint64_t>(*value));
    }
    add_atom(e, scale);
  }

  bool is_constant() const {
    return std::all_of(terms.begin(), terms.end(), [](const auto& term) { return term.second == 0; });
  }
};

void multiply(Product& p, const Expr& e) {
  if (const auto value = as_int(e)) {
    p.coefficient *= *value;
    return;
  }
  if (const auto* n = e.as<BinaryNode>(); n != nullptr && n->op == BinaryOp::kMul) {
    multiply(p, n->a);
    return multiply(p, n->b);
  }
  if (const auto* n = e.as<CastNode>(); n != nullptr && n->a.dtype().is_integral()) return multiply(p, n->a);
  p.factors.push_back(e);
}

}  // namespace

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b) {
  if (!(a.dtype() == b.dtype()) || !a.dtype().is_integral()) {
    const auto x = as_int(a), y = as_int(b);
    return x && y ? std::optional(*x - *y) : std::nullopt;
  }
  Linear difference;
  difference.add(a, 1);
  difference.add(b, ~uint64_t{0});
  if (!difference.is_constant()) return std::nullopt;
  return as_int(make_int(a.dtype(), static_cast<int64_t>(difference.constant)));
}

Expr fold_linear(const Expr& e) {
  if (!e.dtype().is_integral() || e.kind() == ExprKind::kConst) return e;
  Linear sum;
  sum.add(e, 1);
  return sum.is_constant() ? make_int(e.dtype(), static_cast<int64_t>(sum.constant)) : e;
}

bool provably_equal(const Expr& a, const Expr& b) { return same(a, b) || constant_difference(a, b) == 0; }

bool provably_different(const Expr& a, const Expr& b) {
  const auto difference = constant_difference(a, b);
  return difference && *difference != 0;
}

Product product_of(const std::vector<Expr>& extents, int64_t scale) {
  Product p;
  p.coefficient = scale;
  for (const Expr& e : extents) multiply(p, e);
  return p;
}

std::optional<bool> equal(const Product& a, const Product& b) {
  std::vector<Expr> rest = b.factors;
  for (const Expr& factor : a.factors) {
    const auto match = std::find_if(rest.begin(), rest.end(), [&](const Expr& e) { return same(e, factor); });
    if (match == rest.end()) return std::nullopt;
    rest.erase(match);
  }
  if (!rest.empty()) return std::nullopt;
  if (a.coefficient == b.coefficient) return true;
  // Equal factors and another coefficient: unequal, unless a factor can be 0.
  return false;
}

}  // namespace tl
