#include "ir/walk.h"

#include <algorithm>

#include "ir/index.h"

namespace tl {
namespace {

/// `f` over each; true when one changed.
bool map_all(std::vector<Expr>& exprs, const std::function<Expr(const Expr&)>& f) {
  bool changed = false;
  for (Expr& e : exprs) {
    Expr replaced = f(e);
    changed |= replaced.get() != e.get();
    e = std::move(replaced);
  }
  return changed;
}

}  // namespace

void for_each_operand(const Expr& e, const std::function<void(const Expr&)>& f) {
  map_operands(e, [&](const Expr& operand) {
    f(operand);
    return operand;
  });
}

void visit_exprs(const Expr& e, const std::function<void(const Expr&)>& f) {
  for_each_operand(e, [&](const Expr& operand) { visit_exprs(operand, f); });
  f(e);
}

bool mentions(const Expr& e, const Expr& var) {
  bool found = false;
  visit_exprs(e, [&](const Expr& sub) { found |= sub.get() == var.get(); });
  return found;
}

bool reads(const Expr& e, const Buffer& buffer) {
  bool found = false;
  visit_exprs(e, [&](const Expr& sub) {
    if (const auto* n = sub.as<LoadNode>()) found |= n->buffer == buffer;
  });
  return found;
}

bool all_same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return same(x, y); });
}

void split_conjunction(const Expr& e, std::vector<Expr>& out) {
  const auto* n = e.as<BinaryNode>();
  if (n != nullptr && n->op == BinaryOp::kAnd) {
    split_conjunction(n->a, out);
    split_conjunction(n->b, out);
  } else if (!is_const_int(e, 1)) {
    out.push_back(e);
  }
}

Expr map_operands(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  switch (e.kind()) {
    case ExprKind::kConst:
    case ExprKind::kString:
    case ExprKind::kVar:
      return e;
    case ExprKind::kUnary: {
      const auto* n = e.as<UnaryNode>();
      Expr a = f(n->a);
      return a.get() == n->a.get() ? e : unary(n->op, std::move(a));
    }
    case ExprKind::kBinary: {
      const auto* n = e.as<BinaryNode>();
      Expr a = f(n->a), b = f(n->b);
      return a.get() == n->a.get() && b.get() == n->b.get() ? e : binary(n->op, std::move(a), std::move(b));
    }
    case ExprKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      Expr c = f(n->condition), a = f(n->a), b = f(n->b);
      const bool kept = c.get() == n->condition.get() && a.get() == n->a.get() && b.get() == n->b.get();
      return kept ? e : select(std::move(c), std::move(a), std::move(b));
    }
    case ExprKind::kCast: {
      const auto* n = e.as<CastNode>();
      Expr a = f(n->a);
      return a.get() == n->a.get() ? e : cast(e.dtype(), std::move(a));
    }
    case ExprKind::kBitcast: {
      const auto* n = e.as<BitcastNode>();
      Expr a = f(n->a);
      return a.get() == n->a.get() ? e : bitcast(e.dtype(), std::move(a));
    }
    case ExprKind::kLoad: {
      const auto* n = e.as<LoadNode>();
      std::vector<Expr> indices = n->indices;
      return map_all(indices, f) ? load(n->buffer, std::move(indices)) : e;
    }
    case ExprKind::kCall: {
      const auto* n = e.as<CallNode>();
      std::vector<Expr> args = n->args;
      return map_all(args, f) ? call(e.dtype(), n->intrinsic, std::move(args)) : e;
    }
  }
  return e;
}

Expr substitute(const Expr& e, const Substitution& s) {
  if (s.empty() || !e) return e;
  if (e.kind() == ExprKind::kVar) {
    const auto it = s.vars.find(e.get());
    return it == s.vars.end() ? e : it->second;
  }
  const auto inner = [&](const Expr& operand) { return substitute(operand, s); };
  Expr mapped = map_operands(
      e, [&](const Expr& operand) { return e.kind() == ExprKind::kLoad ? map_index(operand, inner) : inner(operand); });
  if (const auto* n = mapped.as<LoadNode>()) {
    const auto it = s.buffers.find(n->buffer.get());
    if (it != s.buffers.end()) return load(it->second, n->indices);
  }
  return mapped;
}

}  // namespace tl
