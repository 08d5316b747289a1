#include "analysis/facts.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

bool any_below(const Expr& e, bool (*bad)(const Expr&)) {
  if (bad(e)) return true;
  bool found = false;
  for_each_operand(e, [&](const Expr& operand) { found = found || any_below(operand, bad); });
  return found;
}

bool has_effect(const Expr& e) {
  const auto* n = e.as<CallNode>();
  return n != nullptr && n->intrinsic->effect == Effect::kWrites;
}

bool reads_memory(const Expr& e) {
  const auto* n = e.as<CallNode>();
  return e.kind() == ExprKind::kLoad || (n != nullptr && n->intrinsic->effect != Effect::kPure);
}

/// The range that a loop's variable stays in; everything where the step's sign is unknown.
Interval loop_range(Interval begin, Interval end, std::optional<int64_t> step) {
  if (!step || *step == 0) return join(begin, end);
  if (*step < 0) return {end.lo + 1, begin.hi};
  Wide last = end.hi - 1;
  // With both ends constant the last value is known, not just its bound.
  if (begin.is_point() && last >= begin.lo) last = begin.lo + floor_div(last - begin.lo, Wide{*step}) * *step;
  return {begin.lo, last};
}

}  // namespace

bool is_memory_free(const Expr& e) { return !any_below(e, reads_memory); }
bool is_pure(const Expr& e) { return !any_below(e, has_effect); }

Facts::Facts(const Function& function) {
  const auto at_least_zero = [&](const Expr& extent) {
    if (!extent.dtype().is_integral()) return;
    // An extent n, or k * n with k > 0, is a dimension of an array.
    const LinearForm form = ring_form(extent);
    if (form.terms.size() != 1 || form.constant != 0 || form.terms[0].coefficient <= 0) return;
    const Expr& symbol = form.terms[0].atom;
    if (symbol.kind() == ExprKind::kVar) narrow(symbol, {0, Interval::of(symbol.dtype()).hi});
  };
  for (const Param& param : function.params) {
    if (const auto* buffer = std::get_if<Buffer>(&param)) {
      for (const Expr& extent : (*buffer)->shape) at_least_zero(extent);
    }
  }
}

void Facts::add_loop(const Var& var, const Expr& begin, const Expr& end, const Expr& step) {
  const Interval values = Interval::of(var.dtype());
  const auto step_value = constant_value(step, *this);
  const Interval range = loop_range(bounds(begin, *this), bounds(end, *this), step_value);
  // A counter that leaves its dtype's range is a program we say nothing about.
  if (!values.contains(range)) return;
  narrow(var, range);
  if (!is_memory_free(begin) || !is_memory_free(end)) return;
  if (!step_value || *step_value == 0) return;
  const LinearForm first = exact_form(begin, *this), limit = exact_form(end, *this), self = exact_form(var, *this);
  const Wide direction = *step_value > 0 ? 1 : -1;
  narrow_to(var, congruence(first, *this) + Congruence::of(*step_value, 0));
  LinearForm from_begin = self.scaled(direction);  // direction * (var - begin) >= 0
  from_begin.add(first, -direction);
  add_nonnegative(from_begin);
  LinearForm to_end = limit.scaled(direction);  // direction * (end - var) - 1 >= 0
  to_end.add(self, -direction);
  to_end.constant -= 1;
  add_nonnegative(to_end);
}

void Facts::add_range(const Expr& var, Interval range) { narrow(var, range); }

void Facts::add_bind(const Var& var, const Expr& value) {
  if (!value.dtype().is_integral() && !value.dtype().is_bool()) return;
  const Interval range = bounds(value, *this);
  const Congruence known = congruence(value, *this);
  Entry& entry = change(var);
  entry.range = range;
  entry.congruence = known;
  if (is_memory_free(value)) entry.value = value;
}

void Facts::add(const Expr& condition) {
  if (condition.kind() == ExprKind::kConst || !condition.dtype().is_bool()) return;
  const auto* n = condition.as<BinaryNode>();
  if (n != nullptr && n->op == BinaryOp::kAnd) {
    add(n->a);
    add(n->b);
    return;
  }
  if (const auto* negated = condition.as<UnaryNode>(); negated != nullptr && negated->op == UnaryOp::kNot) {
    add_negation(negated->a);
    return;
  }
  if (!is_memory_free(condition)) return;
  bounds_cache_.clear();
  truths_.push_back(condition);
  if (condition.kind() == ExprKind::kVar) {
    narrow(condition, Interval::point(1));
    const Entry* entry = find(condition);
    if (entry != nullptr && entry->value) add(Expr(entry->value));
  }
  if (n != nullptr && is_comparison(n->op) && n->a.dtype().is_integral()) add_comparison(*n);
}

void Facts::add_negation(const Expr& condition) {
  if (condition.kind() == ExprKind::kConst || !condition.dtype().is_bool()) return;
  if (const auto* n = condition.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNot) return add(n->a);
  const auto* n = condition.as<BinaryNode>();
  if (n != nullptr && n->op == BinaryOp::kOr) {
    add_negation(n->a);
    add_negation(n->b);
    return;
  }
  if (n != nullptr && is_comparison(n->op) && n->a.dtype().is_integral()) {
    return add(binary(negated_comparison(n->op), n->a, n->b));
  }
  if (!is_memory_free(condition)) return;
  bounds_cache_.clear();
  truths_.push_back(logical_not(condition));
  if (condition.kind() == ExprKind::kVar) {
    narrow(condition, Interval::point(0));
    const Entry* entry = find(condition);
    if (entry != nullptr && entry->value) add_negation(Expr(entry->value));
  }
}

void Facts::add_comparison(const BinaryNode& c) {
  if (c.op == BinaryOp::kEq) return add_equality(c.a, c.b);
  if (c.op == BinaryOp::kNe) {
    // Only a hole at an end of the range can be said.
    const auto hole = constant_value(c.b, *this);
    const Interval range = bounds(c.a, *this);
    if (hole && range.lo == *hole) narrow(c.a, {range.lo + 1, range.hi});
    if (hole && range.hi == *hole) narrow(c.a, {range.lo, range.hi - 1});
    return;
  }
  const bool a_is_greater = c.op == BinaryOp::kGt || c.op == BinaryOp::kGe;
  const bool strict = c.op == BinaryOp::kLt || c.op == BinaryOp::kGt;
  LinearForm difference = exact_form(a_is_greater ? c.a : c.b, *this);
  difference.add(exact_form(a_is_greater ? c.b : c.a, *this), -1);
  difference.constant -= strict ? 1 : 0;
  add_nonnegative(difference);
}

void Facts::add_equality(const Expr& a, const Expr& b) {
  LinearForm difference = exact_form(a, *this);
  difference.add(exact_form(b, *this), -1);
  add_nonnegative(difference);
  add_nonnegative(difference.scaled(-1));
  for (const LinearTerm& term : difference.terms) {
    // atom = -(the rest), or its opposite.
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    narrow_to(term.atom, congruence(difference.without(term.atom).scaled(-term.coefficient), *this));
  }
  const auto* n = a.as<BinaryNode>();
  const auto remainder = constant_value(b, *this);
  if (n == nullptr || !remainder || (n->op != BinaryOp::kFloorMod && n->op != BinaryOp::kTruncMod)) return;
  const auto modulus = as_int(n->b);
  if (!modulus || *modulus <= 0) return;
  if (n->op == BinaryOp::kTruncMod && *remainder != 0) return;
  const LinearForm divided = exact_form(n->a, *this);
  narrow_to(n->a, Congruence::of(*modulus, *remainder));
  if (divided.valid && divided.terms.size() == 1 && divided.terms[0].coefficient == 1) {
    narrow_to(divided.terms[0].atom, Congruence::of(*modulus, *remainder - divided.constant));
  }
}

void Facts::add_nonnegative(const LinearForm& form) {
  if (!form.valid) return;
  nonnegative_.push_back(form);
  for (const LinearTerm& term : form.terms) {
    // coefficient * atom >= -rest, so at least -(the largest rest).
    const Interval rest = bounds(form.without(term.atom), *this);
    if (!rest.bounded()) continue;
    if (term.coefficient > 0) {
      narrow(term.atom, {-floor_div(rest.hi, term.coefficient), Interval::kLimit});
    } else {
      narrow(term.atom, {-Interval::kLimit, floor_div(rest.hi, -term.coefficient)});
    }
  }
}

const Facts::Entry* Facts::find(const Expr& e) const {
  const auto it = entries_.find(e);
  return it == entries_.end() ? nullptr : &it->second;
}

Facts::Entry& Facts::change(const Expr& e) {
  bounds_cache_.clear();
  const auto it = entries_.find(e);
  undo_.push_back({e, it == entries_.end() ? std::nullopt : std::optional(it->second)});
  return entries_[e];
}

void Facts::narrow(const Expr& e, Interval range) {
  if (e.kind() == ExprKind::kConst || !is_memory_free(e)) return;
  const Interval known = bounds(e, *this), narrowed = intersect(known, range);
  // An empty range says that this place is never reached; nothing is gained by remembering it.
  if (narrowed == known || narrowed.empty()) return;
  change(e).range = narrowed;
}

void Facts::narrow_to(const Expr& e, Congruence known) {
  if (e.kind() == ExprKind::kConst || !is_memory_free(e) || known == Congruence::anything()) return;
  const Congruence before = congruence(e, *this), both = meet(before, known);
  if (!(both == before)) change(e).congruence = both;
}

void Facts::rewind(Mark mark) {
  if (undo_.size() != mark.undo) bounds_cache_.clear();
  for (; undo_.size() > mark.undo; undo_.pop_back()) {
    Undo& last = undo_.back();
    if (last.before) {
      entries_[last.key] = std::move(*last.before);
    } else {
      entries_.erase(last.key);
    }
  }
  nonnegative_.erase(nonnegative_.begin() + static_cast<std::ptrdiff_t>(mark.nonnegative), nonnegative_.end());
  truths_.erase(truths_.begin() + static_cast<std::ptrdiff_t>(mark.truths), truths_.end());
}

}  // namespace tl
