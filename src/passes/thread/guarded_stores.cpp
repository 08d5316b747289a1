#include "passes/thread/guarded_stores.h"

#include <algorithm>

#include "analysis/linear.h"
#include "ir/walk.h"

namespace tl {
namespace {

void split_conjunction(const Expr& e, std::vector<Expr>& out) {
  const auto* n = e.as<BinaryNode>();
  if (n != nullptr && n->op == BinaryOp::kAnd) {
    split_conjunction(n->a, out);
    split_conjunction(n->b, out);
  } else if (!is_const_int(e, 1)) {
    out.push_back(e);
  }
}

}  // namespace

bool is_memory(const Buffer& buffer) { return buffer->space == MemorySpace::kGlobal || is_shared(buffer->space); }

bool collect_stores(const Block& block, const std::vector<Expr>& conditions, std::vector<GuardedStore>& out) {
  for (const OpPtr& op : block) {
    if (const auto* store = op->as<Store>()) {
      out.push_back({conditions, store});
    } else if (const auto* branch = op->as<If>(); branch != nullptr && branch->else_body.empty()) {
      std::vector<Expr> inner = conditions;
      split_conjunction(branch->condition, inner);
      if (!collect_stores(branch->then_body, inner, out)) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool loads_memory(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* n = part.as<LoadNode>();
    found |= n != nullptr && is_memory(n->buffer);
  });
  return found;
}

Expr unguarded(const Expr& e, std::vector<Expr>& conditions) {
  const auto* n = e.as<SelectNode>();
  if (n != nullptr && n->b.kind() == ExprKind::kConst && loads_memory(n->a) && !loads_memory(n->condition)) {
    split_conjunction(n->condition, conditions);
    return unguarded(n->a, conditions);
  }
  return map_operands(e, [&](const Expr& operand) { return unguarded(operand, conditions); });
}

std::optional<Expr> at_all_points(const Expr& condition, const Parallel& loop, const std::vector<int64_t>& extents) {
  const auto* n = condition.as<BinaryNode>();
  if (n == nullptr || !n->a.dtype().is_integral()) return std::nullopt;
  Expr low = n->a, high = n->b;
  if (n->op == BinaryOp::kGt || n->op == BinaryOp::kGe) std::swap(low, high);
  const bool strict = n->op == BinaryOp::kLt || n->op == BinaryOp::kGt;
  if (!strict && n->op != BinaryOp::kLe && n->op != BinaryOp::kGe) return std::nullopt;
  // Conditions on indices are made in 64 bits, where sums of indices do not wrap.
  if (low.dtype() != DType::i64()) return std::nullopt;
  LinearForm form = ring_form(high);
  form.add(ring_form(low), -1);
  if (strict) form.constant -= 1;
  LinearForm worst = LinearForm::of_constant(form.constant);
  for (const LinearTerm& term : form.terms) {
    const Expr atom = unwidened(term.atom);
    const auto var =
        std::find_if(loop.vars.begin(), loop.vars.end(), [&](const Var& v) { return v.get() == atom.get(); });
    if (var != loop.vars.end()) {
      const int64_t last = extents[static_cast<size_t>(var - loop.vars.begin())] - 1;
      if (term.coefficient < 0) worst.constant += term.coefficient * last;
      continue;
    }
    bool varies = false;
    visit_exprs(atom, [&](const Expr& part) {
      for (const Var& v : loop.vars) varies |= v.get() == part.get();
      varies |= part.kind() == ExprKind::kLoad;
    });
    if (varies) return std::nullopt;
    worst.add_term(term.atom, term.coefficient);
  }
  if (!worst.valid) return std::nullopt;
  return make_int(DType::i64(), 0) <= to_expr(worst, DType::i64());
}

}  // namespace tl
