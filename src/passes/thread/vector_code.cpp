#include "passes/thread/vector_code.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/linear.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/index.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/guarded_stores.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

/// Bytes of registers that a batch may hold in its temporary arrays.
constexpr int64_t kBatchBytes = 256;

/// One statement of the body on its way to vectors.
class VectorStatement {
 public:
  VectorStatement(const PointCode& code, const GuardedStore& guarded, const Facts& facts, const AccessRules& rules)
      : code_(code), guarded_(guarded), store_(*guarded.store), facts_(facts), rules_(rules) {
    extents_ = *static_extents(code.loop());
    group_ = code.digits().registers.empty() ? 1 : code.digits().registers[0].extent;
  }

  /// Empty where vectors do not help.
  std::optional<Block> run() {
    std::vector<Expr> conditions = guarded_.conditions;
    for (const Expr& c : conditions) {
      if (loads_memory(c)) return std::nullopt;
    }
    const Expr value = unguarded(store_.value, conditions);
    std::optional<Expr> interior = all_of(conditions);
    if (!interior || !find_loads(value) || !gains()) return std::nullopt;
    Block fast = moves_asynchronously(value) ? asynchronous_moves() : fast_path(value);
    if (fast.empty()) return std::nullopt;
    const Expr inside = simplify(*interior, facts_);
    if (is_const_int(inside, 1)) return fast;
    auto branch = make_op<If>(store_.loc);
    branch->condition = inside;
    branch->then_body = std::move(fast);
    branch->else_body = edge();
    return one_op(std::move(branch));
  }

  /// The statement as it is, point by point.
  Block edge() const {
    Block body;
    auto store = make_op<Store>(store_.loc);
    store->buffer = store_.buffer;
    store->indices = store_.indices;
    store->value = store_.value;
    body.push_back(std::move(store));
    for (auto c = guarded_.conditions.rbegin(); c != guarded_.conditions.rend(); ++c) {
      auto branch = make_op<If>(store_.loc);
      branch->condition = *c;
      branch->then_body = std::move(body);
      body = one_op(std::move(branch));
    }
    return code_.scalar(body);
  }

 private:
  struct MovedLoad {
    Expr load;
    int64_t width;
    Buffer array;
  };

  std::optional<Expr> all_of(const std::vector<Expr>& conditions) const {
    Expr out = make_bool(true);
    for (const Expr& c : conditions) {
      const auto all = at_all_points(c, code_.loop(), extents_);
      if (!all) return std::nullopt;
      out = logical_and(out, *all);
    }
    return out;
  }

  /// Loads that vectors can make; false where the value loads what the statement itself or its own loads decide.
  bool find_loads(const Expr& value) {
    bool good = true;
    visit_exprs(value, [&](const Expr& part) {
      const auto* n = part.as<LoadNode>();
      if (part.kind() == ExprKind::kCall && part.as<CallNode>()->intrinsic->effect != Effect::kPure) good = false;
      if (n == nullptr || !is_memory(n->buffer)) return;
      if (std::any_of(n->indices.begin(), n->indices.end(), loads_memory)) return;
      const int64_t width = width_of(n->buffer, n->indices);
      if (width <= 1) return;
      if (std::any_of(loads_.begin(), loads_.end(), [&](const MovedLoad& l) { return same(l.load, part); })) return;
      loads_.push_back({part, width, {}});
    });
    store_width_ = is_memory(store_.buffer) ? width_of(store_.buffer, store_.indices) : 1;
    return good;
  }

  int64_t width_of(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (group_ == 1 || code_.digits().registers[0].step != 1 || !code_.digits().split) return 1;
    if (code_.digits().registers[0].dim + 1 != code_.loop().vars.size()) return 1;
    if (code_.is_padded() && extents_.back() % group_ != 0) return 1;
    const int64_t bytes = buffer->dtype.storage_bits() / 8;
    int64_t out = vector_elements(buffer, indices, code_.loop().vars, facts_, rules_);
    while (out > 1 && (group_ % out != 0 || out * bytes > 16)) out /= 2;
    return out;
  }

  bool gains() const { return !loads_.empty() || store_width_ > 1; }

  /// Register digits that a batch covers: the innermost ones, as far as its arrays stay small.
  size_t batch_digits() const {
    int64_t bytes = store_width_ > 1 ? bytes_of(store_.buffer) : 0;
    for (const MovedLoad& l : loads_) bytes += bytes_of(l.load.as<LoadNode>()->buffer);
    int64_t size = bytes * group_;
    size_t out = 1;
    const auto& digits = code_.digits().registers;
    while (out < digits.size() && size * digits[out].extent <= kBatchBytes) size *= digits[out++].extent;
    return out;
  }

  static int64_t bytes_of(const Buffer& b) { return std::max<int64_t>(b->dtype.storage_bits() / 8, 1); }

  /// Variables for one step: new ones for the digits of the batch, the same ones around it.
  std::vector<Var> step_vars() const {
    std::vector<Var> out = code_.digit_vars();
    std::copy(outer_.begin(), outer_.end(), out.end() - static_cast<std::ptrdiff_t>(outer_.size()));
    return out;
  }

  Block fast_path(const Expr& value) {
    const std::vector<Var> vars = code_.digit_vars();
    const size_t batch = batch_digits();
    // Loops inside the batch are made once for each step; those around it once for all.
    outer_.assign(vars.begin() + static_cast<std::ptrdiff_t>(batch), vars.end());
    int64_t size = 1;
    for (size_t k = 0; k < batch; ++k) size *= code_.digits().registers[k].extent;
    Block out;
    for (MovedLoad& l : loads_) {
      const Buffer& from = l.load.as<LoadNode>()->buffer;
      l.array = temporary(from->name, from->dtype, size, out);
    }
    for (const MovedLoad& l : loads_) {
      const auto* n = l.load.as<LoadNode>();
      if (!move(batch, l.width, out, [&](const std::vector<Expr>& at) -> OpPtr {
            auto from = indices_at(n->indices, at);
            if (!from) return nullptr;
            return make_store(l.array, {slot(at, batch)}, load(n->buffer, std::move(*from)), store_.loc);
          })) {
        return {};
      }
    }
    if (!compute(value, batch, size, out)) return {};
    Block block = code_.nest(vars, batch, vars.size(), std::move(out));
    if (is_memory(store_.buffer)) owned(block);
    return block;
  }

  /// Whether the statement moves global to shared memory as it is, in pieces that can be moved asynchronously.
  bool moves_asynchronously(const Expr& value) const {
    if (!is_async(code_.loop().hints) || !is_shared(store_.buffer->space)) return false;
    if (loads_.size() != 1 || !same(loads_[0].load, value)) return false;
    constexpr int64_t kLeastBytes = 4;
    return value.as<LoadNode>()->buffer->space == MemorySpace::kGlobal &&
           moved_width() * bytes_of(store_.buffer) >= kLeastBytes;
  }

  int64_t moved_width() const { return std::min(loads_[0].width, store_width_); }

  Block asynchronous_moves() const {
    const LoadNode& source = *loads_[0].load.as<LoadNode>();
    const size_t all = code_.digits().registers.size();
    Block out;
    const bool moved = move(all, moved_width(), out, [&](const std::vector<Expr>& at) -> OpPtr {
      auto to = indices_at(store_.indices, at), from = indices_at(source.indices, at);
      if (!to || !from) return nullptr;
      return make_store(store_.buffer, std::move(*to), load(source.buffer, std::move(*from)), store_.loc);
    });
    if (!moved) return {};
    visit_ops(out, [](Op& op) {
      auto* loop = op.as<For>();
      if (loop != nullptr && loop->loop == LoopKind::kVectorized) loop->hints[kAsyncHint] = true;
    });
    owned(out);
    return out;
  }

  /// Computes a batch and stores it.
  bool compute(const Expr& value, size_t batch, int64_t size, Block& out) {
    const std::vector<Var> vars = step_vars();
    const std::vector<Expr> digits(vars.begin(), vars.end());
    const auto result = code_.at(with_arrays(value, digits, batch), digits);
    if (!result) return false;
    if (store_width_ == 1) {
      OpPtr store = plain_store(*result, digits);
      if (!store) return false;
      Block body = code_.nest(vars, 1, batch, valid_groups(vars, code_.nest(vars, 0, 1, one_op(std::move(store)))));
      for (OpPtr& op : body) out.push_back(std::move(op));
      return true;
    }
    const Buffer array = temporary(store_.buffer->name, store_.buffer->dtype, size, out);
    Block group = code_.nest(vars, 0, 1, one_op(make_store(array, {slot(digits, batch)}, *result, store_.loc)));
    Block body = code_.nest(vars, 1, batch, valid_groups(vars, std::move(group)));
    for (OpPtr& op : body) out.push_back(std::move(op));
    Block moves;
    const bool moved = move(batch, store_width_, moves, [&](const std::vector<Expr>& at) -> OpPtr {
      auto to = indices_at(store_.indices, at);
      if (!to) return nullptr;
      return make_store(store_.buffer, std::move(*to), load(array, {slot(at, batch)}), store_.loc);
    });
    if (!moved) return false;
    for (OpPtr& op : moves) out.push_back(std::move(op));
    return true;
  }

  OpPtr plain_store(const Expr& value, const std::vector<Expr>& digits) const {
    if (const ThreadTile* tile = code_.tiles().find(store_.buffer)) {
      const auto reg = code_.register_of(store_.buffer, store_.indices, digits);
      return reg ? make_store(tile->registers, {*reg}, value, store_.loc) : nullptr;
    }
    auto to = indices_at(store_.indices, digits);
    if (!to) return nullptr;
    return make_store(store_.buffer, std::move(*to), value, store_.loc);
  }

  /// Of the threads that hold the points, one loads, computes and stores: what the others load, it may already have
  /// changed.
  void owned(Block& block) const {
    if (!code_.owner()) return;
    auto branch = make_op<If>(store_.loc);
    branch->condition = code_.owner();
    branch->then_body = std::move(block);
    block = one_op(std::move(branch));
  }

  std::optional<std::vector<Expr>> indices_at(const std::vector<Expr>& indices, const std::vector<Expr>& digits) const {
    std::vector<Expr> out;
    for (const Expr& index : indices) {
      const auto at = code_.at(index, digits);
      if (!at) return std::nullopt;
      out.push_back(*at);
    }
    return out;
  }

  /// Vector moves of `width` elements for every register of a batch.
  bool move(size_t batch, int64_t width, Block& out,
            const std::function<OpPtr(const std::vector<Expr>&)>& element) const {
    const std::vector<Var> vars = step_vars();
    std::vector<Expr> at(vars.begin(), vars.end());
    const Var lane("v", DType::i32()), part("q", DType::i32());
    const int64_t parts = group_ / width;
    at[0] = parts == 1 ? Expr(lane) : Expr(part) * Expr(static_cast<int>(width)) + lane;
    OpPtr one = element(at);
    if (!one) return false;
    Block body = counted(lane, width, LoopKind::kVectorized, one_op(std::move(one)));
    if (parts > 1) body = counted(part, parts, LoopKind::kUnrolled, std::move(body));
    body = code_.nest(vars, 1, batch, valid_groups(vars, std::move(body)));
    for (OpPtr& op : body) out.push_back(std::move(op));
    return true;
  }

  /// `body`, where the group of neighbours at these digits is in the tile: all of it or nothing, because a group
  /// divides the row.
  Block valid_groups(const std::vector<Var>& vars, Block body) const {
    if (!code_.is_padded()) return body;
    std::vector<Expr> digits(vars.begin(), vars.end());
    digits[0] = Expr(0);
    auto branch = make_op<If>(store_.loc);
    branch->condition = code_.valid_at(digits);
    branch->then_body = std::move(body);
    return one_op(std::move(branch));
  }

  Block counted(const Var& var, int64_t extent, LoopKind kind, Block body) const {
    auto loop = counted_loop(var, extent, kind, std::move(body), store_.loc);
    loop->hints["independent"] = true;
    return one_op(std::move(loop));
  }

  /// Place of a register in a batch's arrays.
  Expr slot(const std::vector<Expr>& digits, size_t batch) const {
    const std::vector<Expr> inner(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(batch));
    return code_.register_number(inner);
  }

  Buffer temporary(const std::string& name, DType dtype, int64_t size, Block& out) const {
    return add_array(name + "_vec", dtype, size, store_.loc, out);
  }

  Expr with_arrays(const Expr& e, const std::vector<Expr>& digits, size_t batch) const {
    for (const MovedLoad& l : loads_) {
      if (same(l.load, e)) return load(l.array, {slot(digits, batch)});
    }
    return map_operands(e, [&](const Expr& operand) { return with_arrays(operand, digits, batch); });
  }

  const PointCode& code_;
  const GuardedStore& guarded_;
  const Store& store_;
  const Facts& facts_;
  const AccessRules& rules_;
  std::vector<int64_t> extents_;
  /// Registers of a thread that are neighbours along the last variable.
  int64_t group_ = 1;
  std::vector<MovedLoad> loads_;
  int64_t store_width_ = 1;
  /// Variables of the digits around the batch.
  std::vector<Var> outer_;
};

}  // namespace

std::optional<Block> vector_points(const PointCode& code, const Facts& facts, const AccessRules& rules) {
  std::vector<GuardedStore> stores;
  if (!collect_stores(code.loop().body, {}, stores)) return std::nullopt;
  // Taken apart, a condition is asked once a store: it may not read what the stores change.
  for (const GuardedStore& guarded : stores) {
    if (stores.size() > 1 && !std::all_of(guarded.conditions.begin(), guarded.conditions.end(), is_memory_free)) {
      return std::nullopt;
    }
  }
  Block out;
  bool gained = false;
  for (const GuardedStore& guarded : stores) {
    VectorStatement statement(code, guarded, facts, rules);
    std::optional<Block> fast = statement.run();
    gained |= fast.has_value();
    Block block = fast ? std::move(*fast) : statement.edge();
    for (OpPtr& op : block) out.push_back(std::move(op));
  }
  if (!gained) return std::nullopt;
  return out;
}

}  // namespace tl
