#pragma once

#include <optional>
#include <vector>

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

}  // namespace tl
