#include "analysis/simplify.h"

#include <unordered_set>

#include "analysis/bounds.h"
#include "analysis/rewrite_rows.h"
#include "analysis/simplify_steps.h"
#include "ir/index.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Steps one expression may take; rows lead downhill, so only a defect in them comes near.
constexpr int kMaxSteps = 4000;

bool is_exact_class(DType t) { return t.is_integral() || t.is_bool(); }

/// Elementary functions of constants, but only those that every target gives bit by bit.
Expr fold_call(const Expr& e) {
  const auto* n = e.as<CallNode>();
  if (n == nullptr || !n->intrinsic->math || n->args.empty()) return e;
  if (max_ulp(*n->intrinsic->math, n->args[0].dtype()) != 0) return e;
  std::vector<Scalar> values;
  for (const Expr& arg : n->args) {
    const auto* c = arg.as<ConstNode>();
    if (c == nullptr) return e;
    values.push_back(c->value);
  }
  return make_const(apply_math(*n->intrinsic->math, values));
}

/// Constants to the right: rows are written that way.
Expr put_constant_right(const Expr& e) {
  const auto* n = e.as<BinaryNode>();
  if (n == nullptr || n->a.kind() != ExprKind::kConst || n->b.kind() == ExprKind::kConst) return e;
  if (is_comparison(n->op)) return binary(swapped_comparison(n->op), n->b, n->a);
  return op_info(n->op).commutative ? binary(n->op, n->b, n->a) : e;
}

class Simplifier {
 public:
  explicit Simplifier(const Facts& facts) : facts_(&facts) {
    decider_.range = [this](const Expr& e) { return bounds(e, *facts_); };
    decider_.holds = [this](const Expr& e) { return holds(e, *facts_); };
  }

  Expr run(const Expr& e) {
    if (done_.count(e) != 0) return e;
    Expr now = with_simple_operands(e);
    if (is_pure(now) && now.dtype().is_scalar()) {
      for (Expr next = step(now); next.get() != now.get(); next = step(now)) {
        if (++steps_ > kMaxSteps) return now;
        now = with_simple_operands(next);
      }
    }
    done_.insert(now);
    return now;
  }

 private:
  Expr with_simple_operands(const Expr& e) {
    if (const auto* n = e.as<SelectNode>()) {
      Expr condition = run(n->condition);
      if (const auto value = as_int(condition)) return run(*value != 0 ? n->a : n->b);
      Expr a = run_where(n->a, condition, true), b = run_where(n->b, condition, false);
      if (same(condition, n->condition) && same(a, n->a) && same(b, n->b)) return e;
      return select(std::move(condition), std::move(a), std::move(b));
    }
    const auto* n = e.as<BinaryNode>();
    if (n != nullptr && (n->op == BinaryOp::kAnd || n->op == BinaryOp::kOr)) {
      // The right side matters only where the left one leaves the result open.
      Expr a = run(n->a), b = run_where(n->b, a, n->op == BinaryOp::kAnd);
      return same(a, n->a) && same(b, n->b) ? e : binary(n->op, std::move(a), std::move(b));
    }
    const auto simple = [this](const Expr& operand) { return run(operand); };
    if (e.kind() == ExprKind::kLoad)
      return map_operands(e, [&](const Expr& index) { return map_index(index, simple); });
    return map_operands(e, simple);
  }

  /// Simplifies `e` where `condition` is known to be `value`.
  Expr run_where(const Expr& e, const Expr& condition, bool value) {
    if (e.kind() == ExprKind::kConst || !is_memory_free_part(condition)) return run(e);
    if (facts_ != &scoped_) scoped_ = *facts_;
    facts_ = &scoped_;
    const FactsScope scope(scoped_);
    value ? scoped_.add(condition) : scoped_.add_negation(condition);
    std::unordered_set<Expr, ExprHash, ExprSame> outside;
    std::swap(outside, done_);
    Expr out = run(e);
    std::swap(outside, done_);
    return out;
  }

  static bool is_memory_free_part(const Expr& condition) {
    const auto* n = condition.as<BinaryNode>();
    if (n != nullptr && (n->op == BinaryOp::kAnd || n->op == BinaryOp::kOr)) {
      return is_memory_free_part(n->a) || is_memory_free_part(n->b);
    }
    return is_memory_free(condition);
  }

  /// One change at the root, or `e` itself.
  Expr step(const Expr& e) {
    if (e.kind() == ExprKind::kConst || e.kind() == ExprKind::kString) return e;
    if (const Expr moved = put_constant_right(e); moved.get() != e.get()) return moved;
    if (is_exact_class(e.dtype())) {
      if (const Interval range = bounds(e, *facts_); range.is_point() && range.bounded()) {
        return make_int(e.dtype(), static_cast<int64_t>(range.lo));
      }
    }
    if (e.kind() == ExprKind::kVar) return e;
    if (const Expr rewritten = rewrite::apply_rows(e, decider_); rewritten.get() != e.get()) return rewritten;
    if (e.dtype().is_bool()) {
      if (const auto value = prove(e, *facts_)) return make_bool(*value);
    }
    if (const Expr sum = collect_terms(e); sum.get() != e.get()) return sum;
    if (const Expr divided = divide_terms(e, *facts_); divided.get() != e.get()) return divided;
    if (const Expr converted = drop_casts(e, *facts_); converted.get() != e.get()) return converted;
    return fold_call(e);
  }

  const Facts* facts_;
  /// A copy that conditions of `select` may be added to; made when the first one is met.
  Facts scoped_;
  rewrite::Decider decider_;
  /// Expressions that are simple already, under the present facts.
  std::unordered_set<Expr, ExprHash, ExprSame> done_;
  int steps_ = 0;
};

}  // namespace

Expr simplify(const Expr& e, const Facts& facts) { return Simplifier(facts).run(e); }
Expr simplify(const Expr& e) { return simplify(e, Facts()); }

}  // namespace tl
