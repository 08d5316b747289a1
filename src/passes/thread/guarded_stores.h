#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/facts.h"
#include "ir/ops.h"
#include "passes/thread/tensors_apart.h"

namespace tl {

/// Global or shared memory, as against arrays of a thread and fragments.
bool is_memory(const Buffer& buffer);
bool loads_memory(const Expr& e);

/// A bind of a point.
struct NamedValue {
  Var var;
  Expr value;
  Loc loc;
  /// How many of the store's conditions, the outermost ones, stand around it.
  size_t conditions = 0;
};

bool mentions_named(const Expr& e, const std::vector<NamedValue>& values);

/// `bind x = ...; if c1 { if c2 { store } }` as a store, its conditions, and what has a name in its value.
struct GuardedStore {
  std::vector<Expr> conditions;
  /// In order; each may mention those before.
  std::vector<NamedValue> values;
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Loc loc;

  /// Whether conditions and indices follow from variables alone, and not from what is computed at the point.
  bool has_plain_place() const;
};

/// The stores of a block of binds and (guarded) stores, in order; false where anything else is in it.
bool collect_stores(const Block& block, std::vector<GuardedStore>& out);

/// The stores as statements again, in order. Several have the same conditions, and the last one's names are those of
/// all.
Block statements_of(std::span<const GuardedStore> stores);

/// How the stores of a block, point by point, can be taken for all points.
enum class StoreOrder : uint8_t {
  /// One store after the other, each with the names that it needs.
  kSeparate,
  /// All that is loaded first: a name stands for what a store before it may change.
  kTogether,
  kPointByPoint
};

/// Notes in `relies_on_apart` where the answer rests on tensors that are apart.
StoreOrder order_of(std::span<const GuardedStore> stores, const SharedMemoryOf& shared, bool& relies_on_apart);

/// A value that may be computed for each of its uses: a load, converted and kept inside its tensor.
bool is_move(const Expr& value);

// A select between a load and a constant keeps the load inside its tensor, where its condition rests on places alone
// and not on what `names` stand for.

/// The value without the selects that keep its loads inside their tensors; their conditions join `conditions`.
Expr unguarded(const Expr& e, const std::vector<NamedValue>& names, std::vector<Expr>& conditions);

/// A condition that holds where `condition` holds at every point of the loop: a comparison of sums taken at its worst
/// point. None where it is no such comparison.
std::optional<Expr> at_all_points(const Expr& condition, const Parallel& loop, const std::vector<int64_t>& extents);

/// Whether the condition is the same for all of `group` neighbours along the loop's last variable, which are taken in
/// aligned groups: a row that whole groups fill has them inside or outside.
bool same_in_groups(const Expr& condition, const Parallel& loop, int64_t group, const Facts& facts);

/// The value with `f` of the conditions of the selects that keep its loads inside their tensors.
Expr with_guards(const Expr& e, const std::vector<NamedValue>& names, const std::function<Expr(const Expr&)>& f);

/// Whether the store's conditions, and those that keep its loads inside, are such of places that can be asked for all
/// points of the loop at once: what vectors need.
bool has_conditions_of_places(const GuardedStore& store, const Parallel& loop, const std::vector<int64_t>& extents);

/// Calls `f` on every load of the value, with `conditions` and those of the selects that keep it inside its tensor.
void visit_guarded_loads(const Expr& e, const std::vector<NamedValue>& names, const std::vector<Expr>& conditions,
                         const std::function<void(const Expr&, const std::vector<Expr>&)>& f);

}  // namespace tl
