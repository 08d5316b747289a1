#include "passes/thread/vector_statement.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/simplify.h"
#include "ir/index.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

/// Bytes of registers that a batch may hold in its temporary arrays.
constexpr int64_t kBatchBytes = 256;

int64_t bytes_of(const Buffer& b) { return std::max<int64_t>(b->dtype.storage_bits() / 8, 1); }

}  // namespace

VectorStatement::VectorStatement(const PointCode& code, std::span<const GuardedStore> stores, const Facts& facts,
                                 const AccessRules& rules)
    : code_(code), stores_(stores), store_(stores.back()), facts_(facts), rules_(rules) {
  extents_ = *static_extents(code.loop());
  group_ = code.digits().registers.empty() ? 1 : code.digits().registers[0].extent;
}

std::optional<Block> VectorStatement::run() {
  std::vector<Expr> conditions = store_.conditions;
  for (const GuardedStore& store : stores_) {
    if (!has_conditions_of_places(store, code_.loop(), extents_)) return std::nullopt;
  }
  Values values = this->values();
  values.for_each([&](Expr& value) { value = unguarded(value, store_.values, conditions); });
  const std::optional<Expr> all = all_of(conditions);
  if (!all || !find_loads(values, conditions)) return std::nullopt;
  const bool stores_plainly = std::all_of(store_widths_.begin(), store_widths_.end(), [](int64_t w) { return w == 1; });
  if (loads_.empty() && stores_plainly) return std::nullopt;
  Block fast = interior(values);
  if (fast.empty()) return std::nullopt;
  const Expr inside = simplify(*all, facts_);
  if (is_const_int(inside, 1)) return fast;
  const bool by_groups = std::all_of(conditions.begin(), conditions.end(),
                                     [&](const Expr& c) { return same_in_groups(c, code_.loop(), group_, facts_); });
  Block edge = by_groups ? group_edge() : Block();
  if (edge.empty()) edge = fails_rarely(inside) ? code_.rolled(statements_of(stores_)) : by_points();
  return if_block(inside, std::move(fast), std::move(edge));
}

VectorStatement::Values VectorStatement::values() const {
  Values out{store_.values, {}};
  for (const GuardedStore& store : stores_) out.stored.push_back(store.value);
  return out;
}

Block VectorStatement::by_points() const { return code_.scalar(statements_of(stores_)); }

/// Whether the condition holds but in the last programs along each dimension of the grid: a small part of them, or the
/// last one where there is one dimension.
bool VectorStatement::fails_rarely(const Expr& condition) const {
  constexpr int64_t kFew = 32;
  const auto& grid = code_.tiles().grid;
  const auto many = [](const std::pair<Var, Expr>& dim) { return as_int(dim.second) != 1; };
  const bool row = std::count_if(grid.begin(), grid.end(), many) == 1;
  Facts facts = facts_;
  for (const auto& [index, count] : grid) {
    const int64_t known = as_int(count).value_or(0), few = std::max<int64_t>(known / kFew, row && known != 1 ? 1 : 0);
    facts.add(widen_index(index) < widen_index(count) - make_int(DType::i64(), few));
  }
  return is_const_int(simplify(condition, facts), 1);
}

/// A condition for all points at once.
std::optional<Expr> VectorStatement::all_of(const std::vector<Expr>& conditions) const {
  Expr out = make_bool(true);
  for (const Expr& c : conditions) {
    const auto all = at_all_points(c, code_.loop(), extents_);
    if (!all) return std::nullopt;
    out = logical_and(out, *all);
  }
  return out;
}

/// Loads that vectors can make; false where the value loads what the statement itself or its own loads decide. A vector
/// is loaded whatever becomes of it: a load that a select may leave out is moved only where it is inside its tensor
/// wherever `conditions` hold.
bool VectorStatement::find_loads(Values& values, const std::vector<Expr>& conditions) {
  bool good = true;
  std::vector<Expr> left_out;
  const std::function<void(const Expr&, bool)> find = [&](const Expr& part, bool always) {
    if (part.kind() == ExprKind::kCall && part.as<CallNode>()->intrinsic->effect != Effect::kPure) good = false;
    if (const auto* n = part.as<SelectNode>()) {
      find(n->condition, always);
      find(n->a, false);
      find(n->b, false);
      return;
    }
    for_each_operand(part, [&](const Expr& operand) { find(operand, always); });
    if (part.kind() != ExprKind::kLoad) return;
    if (always) {
      add_load(part);
    } else {
      left_out.push_back(part);
    }
  };
  values.for_each([&](const Expr& value) { find(value, true); });
  for (const Expr& load : left_out) {
    if (is_inside(*load.as<LoadNode>(), conditions)) add_load(load);
  }
  for (const GuardedStore& store : stores_) {
    store_widths_.push_back(is_memory(store.buffer) ? width_of(store.buffer, store.indices) : 1);
  }
  return good;
}

void VectorStatement::add_load(const Expr& load) {
  const auto* n = load.as<LoadNode>();
  if (!is_memory(n->buffer) || std::any_of(n->indices.begin(), n->indices.end(), loads_memory)) return;
  for (const Expr& index : n->indices) {
    if (mentions_named(index, store_.values)) return;
  }
  const int64_t width = width_of(n->buffer, n->indices);
  if (width <= 1) return;
  if (std::any_of(loads_.begin(), loads_.end(), [&](const MovedLoad& l) { return same(l.load, load); })) return;
  loads_.push_back({load, width, {}, {}});
}

/// Whether the element is inside at all points where the conditions hold.
bool VectorStatement::is_inside(const LoadNode& load, const std::vector<Expr>& conditions) const {
  Facts facts = facts_;
  for (size_t d = 0; d < extents_.size(); ++d) facts.add_index(code_.loop().vars[d], code_.loop().extents[d]);
  for (const Expr& c : conditions) facts.add(c);
  for (size_t d = 0; d < load.indices.size(); ++d) {
    const Expr index = widen_index(load.indices[d]);
    if (!holds(make_zero(DType::i64()) <= index, facts)) return false;
    if (!holds(index < widen_index(load.buffer->shape[d]), facts)) return false;
  }
  return true;
}

/// The conditions of every load that is moved; false where its uses have different ones.
bool VectorStatement::find_conditions() {
  bool good = true;
  std::vector<bool> seen(loads_.size());
  const auto note = [&](const Expr& e, const std::vector<Expr>& conditions) {
    for (size_t i = 0; i < loads_.size(); ++i) {
      if (!same(loads_[i].load, e)) continue;
      good &= !seen[i] || all_same(conditions, loads_[i].conditions);
      seen[i] = true;
      loads_[i].conditions = conditions;
    }
  };
  for (const NamedValue& v : store_.values) visit_guarded_loads(v.value, store_.values, store_.conditions, note);
  for (const GuardedStore& store : stores_) visit_guarded_loads(store.value, store_.values, store_.conditions, note);
  return good;
}

int64_t VectorStatement::width_of(const Buffer& buffer, const std::vector<Expr>& indices) const {
  if (group_ == 1 || code_.digits().registers[0].step != 1 || !code_.digits().split) return 1;
  if (code_.digits().registers[0].dim + 1 != code_.loop().vars.size()) return 1;
  if (code_.is_padded() && extents_.back() % group_ != 0) return 1;
  const int64_t bytes = buffer->dtype.storage_bits() / 8;
  int64_t out = vector_elements(buffer, indices, code_.loop().vars, facts_, rules_);
  while (out > 1 && (group_ % out != 0 || out * bytes > 16)) out /= 2;
  return out;
}

/// Register digits that a batch covers: the innermost ones, as far as its arrays stay small.
size_t VectorStatement::batch_digits() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < stores_.size(); ++i) bytes += store_widths_[i] > 1 ? bytes_of(stores_[i].buffer) : 0;
  for (const MovedLoad& l : loads_) bytes += bytes_of(l.load.as<LoadNode>()->buffer);
  int64_t size = bytes * group_;
  size_t out = 1;
  const auto& digits = code_.digits().registers;
  while (out < digits.size() && size * digits[out].extent <= kBatchBytes) size *= digits[out++].extent;
  return out;
}

/// Whether the statement moves global to shared memory as it is, in pieces that can be moved asynchronously.
bool VectorStatement::moves_asynchronously() const {
  if (!is_async(code_.loop().hints) || !is_shared(store_.buffer->space) || stores_.size() > 1) return false;
  std::vector<Expr> unused;
  if (loads_.size() != 1 || !same(loads_[0].load, unguarded(store_.value, store_.values, unused))) return false;
  constexpr int64_t kLeastBytes = 4;
  return loads_[0].load.as<LoadNode>()->buffer->space == MemorySpace::kGlobal &&
         moved_width() * bytes_of(store_.buffer) >= kLeastBytes;
}

/// The statement where every point is inside. Empty where a place cannot be said in registers.
Block VectorStatement::interior(const Values& values) {
  return moves_asynchronously() ? asynchronous_moves() : in_batches(values);
}

/// The statement at an edge, where conditions hold or fail for whole groups of neighbours. Empty as above.
Block VectorStatement::group_edge() {
  if (!find_conditions()) return {};
  at_edge_ = true;
  return moves_asynchronously() ? asynchronous_moves() : in_batches(values());
}

}  // namespace tl
