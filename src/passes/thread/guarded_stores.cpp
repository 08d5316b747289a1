#include "passes/thread/guarded_stores.h"

#include <algorithm>

#include "analysis/divisibility.h"
#include "analysis/facts.h"
#include "analysis/linear.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// What a comparison of indices compares with 0: not negative where it holds. None for other conditions.
std::optional<LinearForm> slack_of(const Expr& condition) {
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
  return form.valid ? std::optional(form) : std::nullopt;
}

/// Whether the select keeps loads inside their tensors.
bool is_guard(const SelectNode& n, const std::vector<NamedValue>& names) {
  return n.b.kind() == ExprKind::kConst && loads_memory(n.a) && !loads_memory(n.condition) &&
         !mentions_named(n.condition, names);
}

}  // namespace

bool is_memory(const Buffer& buffer) { return buffer->space == MemorySpace::kGlobal || is_shared(buffer->space); }

bool mentions_named(const Expr& e, const std::vector<NamedValue>& values) {
  return std::any_of(values.begin(), values.end(), [&](const NamedValue& v) { return mentions(e, v.var); });
}

bool is_move(const Expr& value) {
  switch (value.kind()) {
    case ExprKind::kConst:
      return true;
    case ExprKind::kLoad: {
      const std::vector<Expr>& indices = value.as<LoadNode>()->indices;
      return std::all_of(indices.begin(), indices.end(), is_memory_free);
    }
    case ExprKind::kCast:
      return is_move(value.as<CastNode>()->a);
    case ExprKind::kSelect: {
      const auto* n = value.as<SelectNode>();
      return is_memory_free(n->condition) && is_move(n->a) && is_move(n->b);
    }
    default:
      return false;
  }
}

namespace {

/// `scope` has what is named and asked around the block; what is inside ends with it.
bool collect(const Block& block, GuardedStore scope, std::vector<GuardedStore>& out) {
  for (const OpPtr& op : block) {
    if (const auto* bind = op->as<Bind>()) {
      if (!is_pure(bind->value)) return false;
      scope.values.push_back({bind->var, bind->value, bind->loc, scope.conditions.size()});
    } else if (const auto* store = op->as<Store>()) {
      GuardedStore found = scope;
      found.buffer = store->buffer;
      found.indices = store->indices;
      found.value = store->value;
      found.loc = store->loc;
      out.push_back(std::move(found));
    } else if (const auto* branch = op->as<If>(); branch != nullptr && branch->else_body.empty()) {
      GuardedStore inner = scope;
      split_conjunction(branch->condition, inner.conditions);
      if (!collect(branch->then_body, std::move(inner), out)) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool collect_stores(const Block& block, std::vector<GuardedStore>& out) { return collect(block, {}, out); }

bool GuardedStore::has_plain_place() const {
  const auto plain = [&](const Expr& e) { return is_memory_free(e) && !mentions_named(e, values); };
  return std::all_of(conditions.begin(), conditions.end(), plain) && std::all_of(indices.begin(), indices.end(), plain);
}

namespace {

/// Whether `store` may change what `e` loads.
bool changes(const GuardedStore& store, const Expr& e, const SharedMemoryOf& shared, bool& relies_on_apart) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* n = part.as<LoadNode>();
    if (n != nullptr && !found) found = shared.may_change(store.buffer, n->buffer, relies_on_apart);
  });
  return found;
}

/// Whether a store changes what a later one uses by a name from before.
bool outdates_names(std::span<const GuardedStore> stores, const SharedMemoryOf& shared, bool& relies_on_apart) {
  for (size_t i = 0; i + 1 < stores.size(); ++i) {
    for (const NamedValue& v : stores[i].values) {
      if (changes(stores[i], v.value, shared, relies_on_apart)) return true;
    }
  }
  return false;
}

/// Whether all loads may stand before all stores.
bool loads_may_go_first(std::span<const GuardedStore> stores, const SharedMemoryOf& shared, bool& relies_on_apart) {
  const std::vector<NamedValue>& names = stores.back().values;
  for (size_t i = 0; i < stores.size(); ++i) {
    const GuardedStore& store = stores[i];
    const bool fits = all_same(store.conditions, stores.back().conditions) && store.has_plain_place() &&
                      is_memory(store.buffer) == is_memory(stores[0].buffer) && store.values.size() <= names.size();
    if (!fits) return false;
    for (size_t v = 0; v < store.values.size(); ++v) {
      if (store.values[v].var.get() != names[v].var.get()) return false;
    }
    for (size_t later = i + 1; later < stores.size(); ++later) {
      if (changes(store, stores[later].value, shared, relies_on_apart)) return false;
    }
    for (size_t v = store.values.size(); v < names.size(); ++v) {
      if (changes(store, names[v].value, shared, relies_on_apart)) return false;
    }
  }
  return true;
}

}  // namespace

StoreOrder order_of(std::span<const GuardedStore> stores, const SharedMemoryOf& shared, bool& relies_on_apart) {
  if (stores.size() == 1) return StoreOrder::kSeparate;
  bool relies = false;
  if (!outdates_names(stores, shared, relies)) {
    relies_on_apart |= relies;
    // Taken apart, a condition is asked once a store: it may not read what the stores change.
    const bool plain = std::all_of(stores.begin(), stores.end(), [](const auto& s) { return s.has_plain_place(); });
    return plain ? StoreOrder::kSeparate : StoreOrder::kPointByPoint;
  }
  relies = false;
  if (!loads_may_go_first(stores, shared, relies)) return StoreOrder::kPointByPoint;
  relies_on_apart |= relies;
  return StoreOrder::kTogether;
}

Block statements_of(std::span<const GuardedStore> stores) {
  Block out;
  for (const NamedValue& v : stores.back().values) {
    auto bind = make_op<Bind>(v.loc);
    bind->var = v.var;
    bind->value = v.value;
    out.push_back(std::move(bind));
  }
  for (const GuardedStore& store : stores) {
    out.push_back(make_store(store.buffer, store.indices, store.value, store.loc));
  }
  const std::vector<Expr>& conditions = stores.back().conditions;
  for (auto c = conditions.rbegin(); c != conditions.rend(); ++c) {
    auto branch = make_op<If>(stores.back().loc);
    branch->condition = *c;
    branch->then_body = std::move(out);
    out = one_op(std::move(branch));
  }
  return out;
}

bool loads_memory(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* n = part.as<LoadNode>();
    found |= n != nullptr && is_memory(n->buffer);
  });
  return found;
}

Expr unguarded(const Expr& e, const std::vector<NamedValue>& names, std::vector<Expr>& conditions) {
  const auto* n = e.as<SelectNode>();
  if (n != nullptr && is_guard(*n, names)) {
    split_conjunction(n->condition, conditions);
    return unguarded(n->a, names, conditions);
  }
  return map_operands(e, [&](const Expr& operand) { return unguarded(operand, names, conditions); });
}

std::optional<Expr> at_all_points(const Expr& condition, const Parallel& loop, const std::vector<int64_t>& extents) {
  const auto varies = [&](const Expr& e) {
    return std::any_of(loop.vars.begin(), loop.vars.end(), [&](const Var& v) { return mentions(e, v); });
  };
  if (!varies(condition) && is_memory_free(condition)) return condition;
  const auto slack = slack_of(condition);
  if (!slack) return std::nullopt;
  const LinearForm& form = *slack;
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
    bool loads = false;
    visit_exprs(atom, [&](const Expr& part) { loads |= part.kind() == ExprKind::kLoad; });
    if (loads || varies(atom)) return std::nullopt;
    worst.add_term(term.atom, term.coefficient);
  }
  if (!worst.valid) return std::nullopt;
  return make_int(DType::i64(), 0) <= to_expr(worst, DType::i64());
}

bool has_conditions_of_places(const GuardedStore& store, const Parallel& loop, const std::vector<int64_t>& extents) {
  std::vector<Expr> conditions = store.conditions;
  if (std::any_of(conditions.begin(), conditions.end(), loads_memory)) return false;
  if (!store.values.empty() && !store.has_plain_place()) return false;
  for (const NamedValue& v : store.values) unguarded(v.value, store.values, conditions);
  unguarded(store.value, store.values, conditions);
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Expr& c) { return at_all_points(c, loop, extents).has_value(); });
}

bool same_in_groups(const Expr& condition, const Parallel& loop, int64_t group, const Facts& facts) {
  const Var& along = loop.vars.back();
  if (!mentions(condition, along)) return true;
  const auto slack = slack_of(condition);
  if (!slack) return false;
  Wide step = 0;
  LinearForm rest = LinearForm::of_constant(slack->constant);
  for (const LinearTerm& term : slack->terms) {
    if (unwidened(term.atom).get() == along.get()) {
      step += term.coefficient;
    } else if (mentions(term.atom, along)) {
      return false;
    } else {
      rest.add_term(term.atom, term.coefficient);
    }
  }
  // rest + along >= 0 and rest - along >= 0, or rest + 1 > along, where `along` counts from a multiple of the group.
  if (step == -1) rest.constant += 1;
  return (step == 1 || step == -1) && congruence(rest, facts).is_multiple_of(group);
}

Expr with_guards(const Expr& e, const std::vector<NamedValue>& names, const std::function<Expr(const Expr&)>& f) {
  const auto* n = e.as<SelectNode>();
  if (n != nullptr && is_guard(*n, names)) return select(f(n->condition), with_guards(n->a, names, f), n->b);
  return map_operands(e, [&](const Expr& operand) { return with_guards(operand, names, f); });
}

void visit_guarded_loads(const Expr& e, const std::vector<NamedValue>& names, const std::vector<Expr>& conditions,
                         const std::function<void(const Expr&, const std::vector<Expr>&)>& f) {
  const auto* n = e.as<SelectNode>();
  if (n != nullptr && is_guard(*n, names)) {
    std::vector<Expr> inner = conditions;
    split_conjunction(n->condition, inner);
    return visit_guarded_loads(n->a, names, inner, f);
  }
  if (e.kind() == ExprKind::kLoad) f(e, conditions);
  for_each_operand(e, [&](const Expr& operand) { visit_guarded_loads(operand, names, conditions, f); });
}

}  // namespace tl
