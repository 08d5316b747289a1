// The code of a VectorStatement: moves of groups of neighbours between memory and arrays of the thread.

#include <algorithm>

#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/point_loop.h"
#include "passes/thread/vector_statement.h"

namespace tl {

// --- moves between memory and the registers of a fragment ------------------------------------------------------------

/// The statement that moves elements of memory into a fragment as they are, each thread's neighbours in order: vectors
/// straight into its registers. Empty for others.
Block VectorStatement::moved_to_registers(const Values& values) const {
  const ThreadTile* tile = code_.tiles().find(store_.buffer);
  if (at_edge_ || tile == nullptr || stores_.size() != 1 || loads_.size() != 1) return {};
  if (!same(values.stored[0], loads_[0].load)) return {};
  const auto* from = loads_[0].load.as<LoadNode>();
  if (!code_.in_order(store_.buffer, store_.indices, loads_[0].width)) return {};
  Block out;
  const bool moved = move(code_.digits().registers.size(), loads_[0].width, {}, out, [&](const auto& at) -> OpPtr {
    auto indices = indices_at(from->indices, at);
    const auto reg = code_.register_of(store_.buffer, store_.indices, at);
    return indices && reg ? make_store(tile->registers, {*reg}, load(from->buffer, std::move(*indices)), store_.loc)
                          : nullptr;
  });
  return moved ? std::move(out) : Block();
}

/// The same from a fragment into memory.
Block VectorStatement::moved_from_registers(const Values& values) const {
  const auto* from = stores_.size() == 1 ? values.stored[0].as<LoadNode>() : nullptr;
  const ThreadTile* tile = from == nullptr ? nullptr : code_.tiles().find(from->buffer);
  const int64_t width = store_widths_[0];
  if (tile == nullptr || width == 1 || !code_.in_order(from->buffer, from->indices, width)) return {};
  Block out;
  const auto element = [&](const std::vector<Expr>& at) -> OpPtr {
    auto to = indices_at(store_.indices, at);
    const auto reg = code_.register_of(from->buffer, from->indices, at);
    return to && reg ? make_store(store_.buffer, std::move(*to), load(tile->registers, {*reg}), store_.loc) : nullptr;
  };
  if (!move(code_.digits().registers.size(), width, store_.conditions, out, element)) return {};
  owned(out);
  return out;
}

// --- what is computed on the way -------------------------------------------------------------------------------------

/// All loads of a batch of registers, then what is computed from them, then the stores.
Block VectorStatement::in_batches(const Values& values) {
  if (Block moves = moved_to_registers(values); !moves.empty()) return moves;
  if (Block moves = moved_from_registers(values); !moves.empty()) return moves;
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
    if (!move(batch, l.width, l.conditions, out, [&](const std::vector<Expr>& at) -> OpPtr {
          auto from = indices_at(n->indices, at);
          if (!from) return nullptr;
          return make_store(l.array, {slot(at, batch)}, load(n->buffer, std::move(*from)), store_.loc);
        })) {
      return {};
    }
  }
  // What is stored as it was loaded is in its array already.
  const bool copies = stores_.size() == 1 && store_widths_[0] > 1 && loads_.size() == 1 && !at_edge_ &&
                      same(values.stored[0], loads_[0].load);
  if (copies ? !store_array(0, loads_[0].array, batch, out) : !compute(values, batch, size, out)) return {};
  Block block = code_.nest(vars, batch, vars.size(), std::move(out));
  if (is_memory(store_.buffer)) owned(block);
  return block;
}

/// Computes a batch and stores it.
bool VectorStatement::compute(const Values& values, size_t batch, int64_t size, Block& out) {
  const std::vector<Var> vars = step_vars();
  const std::vector<Expr> digits(vars.begin(), vars.end());
  Block group, point;
  Substitution names;
  const auto computed = [&](const Expr& value) -> std::optional<Expr> {
    const auto asked = asked_once(value, digits, group);
    return asked ? code_.at(with_arrays(substitute(*asked, names), digits, batch), digits) : std::nullopt;
  };
  for (const NamedValue& v : values.named) {
    const auto value = computed(v.value);
    if (!value) return false;
    auto bind = make_op<Bind>(v.loc);
    bind->var = Var(v.var.name(), v.var.dtype());
    bind->value = *value;
    names.vars.emplace(v.var.get(), bind->var);
    point.push_back(std::move(bind));
  }
  std::vector<Buffer> arrays;
  for (size_t i = 0; i < stores_.size(); ++i) {
    const GuardedStore& to = stores_[i];
    const auto result = computed(values.stored[i]);
    if (!result) return false;
    arrays.push_back(store_widths_[i] > 1 ? temporary(to.buffer->name, to.buffer->dtype, size, out) : Buffer());
    OpPtr store =
        arrays[i] ? make_store(arrays[i], {slot(digits, batch)}, *result, to.loc) : plain_store(to, *result, digits);
    if (!store) return false;
    point.push_back(std::move(store));
  }
  for (OpPtr& op : code_.nest(vars, 0, 1, std::move(point))) group.push_back(std::move(op));
  group = where(store_.conditions, digits, std::move(group));
  if (group.empty()) return false;
  for (OpPtr& op : code_.nest(vars, 1, batch, valid_groups(vars, std::move(group)))) out.push_back(std::move(op));
  for (size_t i = 0; i < stores_.size(); ++i) {
    if (arrays[i] && !store_array(i, arrays[i], batch, out)) return false;
  }
  return true;
}

/// Moves what a batch's array holds to where store number `i` puts it.
bool VectorStatement::store_array(size_t i, const Buffer& array, size_t batch, Block& out) const {
  const GuardedStore& to = stores_[i];
  return move(batch, store_widths_[i], to.conditions, out, [&](const std::vector<Expr>& at) -> OpPtr {
    auto indices = indices_at(to.indices, at);
    if (!indices) return nullptr;
    return make_store(to.buffer, std::move(*indices), load(array, {slot(at, batch)}), to.loc);
  });
}

OpPtr VectorStatement::plain_store(const GuardedStore& store, const Expr& value,
                                   const std::vector<Expr>& digits) const {
  if (const ThreadTile* tile = code_.tiles().find(store.buffer)) {
    const auto reg = code_.register_of(store.buffer, store.indices, digits);
    return reg ? make_store(tile->registers, {*reg}, value, store.loc) : nullptr;
  }
  auto to = indices_at(store.indices, digits);
  return to ? make_store(store.buffer, std::move(*to), value, store.loc) : nullptr;
}

Block VectorStatement::asynchronous_moves() const {
  const LoadNode& source = *loads_[0].load.as<LoadNode>();
  const std::vector<Var> vars = code_.digit_vars();
  const int64_t width = moved_width();
  Block group = group_move(vars, width, [&](const std::vector<Expr>& at) -> OpPtr {
    auto to = indices_at(store_.indices, at), from = indices_at(source.indices, at);
    if (!to || !from) return nullptr;
    return make_store(store_.buffer, std::move(*to), load(source.buffer, std::move(*from)), store_.loc);
  });
  visit_ops(group, [](Op& op) {
    auto* loop = op.as<For>();
    if (loop != nullptr && loop->loop == LoopKind::kVectorized) loop->hints[kAsyncHint] = true;
  });
  if (at_edge_) {
    // Beyond the edge the tile has what the select says: plain stores, which the barrier behind the wait orders too.
    const auto* guard = store_.value.as<SelectNode>();
    if (!store_.conditions.empty() || guard == nullptr || !same(guard->a, loads_[0].load)) return {};
    Block fill = group_fill(vars, width, guard->b);
    if (fill.empty() || group.empty()) return {};
    group = where(loads_[0].conditions, {vars.begin(), vars.end()}, std::move(group), std::move(fill));
  }
  if (group.empty()) return {};
  Block out = code_.nest(vars, 1, vars.size(), valid_groups(vars, std::move(group)));
  owned(out);
  return out;
}

/// A group of neighbours of the store's buffer becomes `value`.
Block VectorStatement::group_fill(const std::vector<Var>& vars, int64_t width, const Expr& value) const {
  Block out;
  const Buffer array = temporary("fill", store_.buffer->dtype, width, out);
  const Var lane("v", DType::i32());
  for (OpPtr& op : counted(lane, width, LoopKind::kUnrolled, one_op(make_store(array, {lane}, value, store_.loc)))) {
    out.push_back(std::move(op));
  }
  const Var moved("v", DType::i32());
  Block moves = group_move(vars, width, [&](const std::vector<Expr>& at) -> OpPtr {
    auto to = indices_at(store_.indices, at);
    if (!to) return nullptr;
    const auto* sum = at[0].as<BinaryNode>();
    return make_store(store_.buffer, std::move(*to), load(array, {sum == nullptr ? at[0] : sum->b}), store_.loc);
  });
  if (moves.empty()) return {};
  for (OpPtr& op : moves) out.push_back(std::move(op));
  return out;
}

// --- groups and batches ----------------------------------------------------------------------------------------------

/// `body` for the group of neighbours at these digits, at an edge only where the conditions hold for it, else
/// `otherwise`. Empty where a condition cannot be said in registers.
Block VectorStatement::where(const std::vector<Expr>& conditions, std::vector<Expr> digits, Block body,
                             Block otherwise) const {
  if (!at_edge_ || conditions.empty()) return body;
  digits[0] = Expr(0);
  Expr all = make_bool(true);
  for (const Expr& c : conditions) {
    const auto at = code_.at(c, digits);
    if (!at) return {};
    all = logical_and(all, *at);
  }
  return if_block(all, std::move(body), std::move(otherwise));
}

/// The value; at an edge, the conditions of its selects are asked once for the group at these digits, in `out`. None
/// where one cannot be said in registers.
std::optional<Expr> VectorStatement::asked_once(const Expr& value, std::vector<Expr> digits, Block& out) const {
  if (!at_edge_) return value;
  digits[0] = Expr(0);
  bool good = true;
  const Expr asked = with_guards(value, store_.values, [&](const Expr& condition) -> Expr {
    const auto at = code_.at(condition, digits);
    good &= at.has_value();
    if (!at) return condition;
    auto bind = make_op<Bind>(store_.loc);
    bind->var = Var("inside", DType::boolean());
    bind->value = *at;
    const Var inside = bind->var;
    out.push_back(std::move(bind));
    return inside;
  });
  return good ? std::optional(asked) : std::nullopt;
}

/// Of the threads that hold the points, one loads, computes and stores: what the others load, it may already have
/// changed.
void VectorStatement::owned(Block& block) const {
  if (code_.owner()) block = if_block(code_.owner(), std::move(block));
}

/// Vector moves of `width` elements for every register of a batch, at an edge where `conditions` hold.
bool VectorStatement::move(size_t batch, int64_t width, const std::vector<Expr>& conditions, Block& out,
                           const Element& element) const {
  const std::vector<Var> vars = step_vars();
  Block body = group_move(vars, width, element);
  if (body.empty()) return false;
  body = where(conditions, {vars.begin(), vars.end()}, std::move(body));
  if (body.empty()) return false;
  for (OpPtr& op : code_.nest(vars, 1, batch, valid_groups(vars, std::move(body)))) out.push_back(std::move(op));
  return true;
}

/// The moves of one group.
Block VectorStatement::group_move(const std::vector<Var>& vars, int64_t width, const Element& element) const {
  std::vector<Expr> at(vars.begin(), vars.end());
  const Var lane("v", DType::i32()), part("q", DType::i32());
  const int64_t parts = group_ / width;
  at[0] = parts == 1 ? Expr(lane) : Expr(part) * Expr(static_cast<int>(width)) + lane;
  OpPtr one = element(at);
  if (!one) return {};
  Block body = counted(lane, width, LoopKind::kVectorized, one_op(std::move(one)));
  return parts == 1 ? std::move(body) : counted(part, parts, LoopKind::kUnrolled, std::move(body));
}

/// `body`, where the group of neighbours at these digits is in the tile: all of it or nothing, because a group divides
/// the row.
Block VectorStatement::valid_groups(const std::vector<Var>& vars, Block body) const {
  if (!code_.is_padded()) return body;
  std::vector<Expr> digits(vars.begin(), vars.end());
  digits[0] = Expr(0);
  return if_block(code_.valid_at(digits), std::move(body));
}

std::optional<std::vector<Expr>> VectorStatement::indices_at(const std::vector<Expr>& indices,
                                                             const std::vector<Expr>& digits) const {
  std::vector<Expr> out;
  for (const Expr& index : indices) {
    const auto at = code_.at(index, digits);
    if (!at) return std::nullopt;
    out.push_back(*at);
  }
  return out;
}

/// Variables for one step: new ones for the digits of the batch, the same ones around it.
std::vector<Var> VectorStatement::step_vars() const {
  std::vector<Var> out = code_.digit_vars();
  std::copy(outer_.begin(), outer_.end(), out.end() - static_cast<std::ptrdiff_t>(outer_.size()));
  return out;
}

/// Place of a register in a batch's arrays.
Expr VectorStatement::slot(const std::vector<Expr>& digits, size_t batch) const {
  const std::vector<Expr> inner(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(batch));
  return code_.register_number(inner);
}

Expr VectorStatement::with_arrays(const Expr& e, const std::vector<Expr>& digits, size_t batch) const {
  for (const MovedLoad& l : loads_) {
    if (same(l.load, e)) return load(l.array, {slot(digits, batch)});
  }
  return map_operands(e, [&](const Expr& operand) { return with_arrays(operand, digits, batch); });
}

Buffer VectorStatement::temporary(const std::string& name, DType dtype, int64_t size, Block& out) const {
  return add_array(name + "_vec", dtype, size, store_.loc, out);
}

Block VectorStatement::counted(const Var& var, int64_t extent, LoopKind kind, Block body) const {
  auto loop = counted_loop(var, extent, kind, std::move(body), store_.loc);
  loop->hints["independent"] = true;
  return one_op(std::move(loop));
}

Block VectorStatement::if_block(const Expr& condition, Block then_body, Block else_body) const {
  auto branch = make_op<If>(store_.loc);
  branch->condition = condition;
  branch->then_body = std::move(then_body);
  branch->else_body = std::move(else_body);
  return one_op(std::move(branch));
}

}  // namespace tl
