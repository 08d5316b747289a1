#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"

namespace tl {

/// Global or shared memory, as against arrays of a thread and fragments.
bool is_memory(const Buffer& buffer);
bool loads_memory(const Expr& e);

/// `if c1 { if c2 { store } }` as a store and its conditions.
struct GuardedStore {
  std::vector<Expr> conditions;
  const Store* store;
};

/// The stores of a block of (guarded) stores, in order; false where anything else is in it.
bool collect_stores(const Block& block, const std::vector<Expr>& conditions, std::vector<GuardedStore>& out);

/// The value without the selects that keep its loads inside their tensors; their conditions join `conditions`.
Expr unguarded(const Expr& e, std::vector<Expr>& conditions);

/// A condition that holds where `condition` holds at every point of the loop: a comparison of sums taken at its worst
/// point. None where it is no such comparison.
std::optional<Expr> at_all_points(const Expr& condition, const Parallel& loop, const std::vector<int64_t>& extents);

/// Whether the condition is the same for all of `group` neighbours along the loop's last variable, which are taken in
/// aligned groups: a row that whole groups fill has them inside or outside.
bool same_in_groups(const Expr& condition, const Parallel& loop, int64_t group, const Facts& facts);

/// The value with `f` of the conditions of the selects that keep its loads inside their tensors.
Expr with_guards(const Expr& e, const std::function<Expr(const Expr&)>& f);

/// Calls `f` on every load of the value, with `conditions` and those of the selects that keep it inside its tensor.
void visit_guarded_loads(const Expr& e, const std::vector<Expr>& conditions,
                         const std::function<void(const Expr&, const std::vector<Expr>&)>& f);

}  // namespace tl
