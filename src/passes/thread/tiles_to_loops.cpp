// tiles-to-loops
//
// before:  tile.copy src=%A[%bx * 64 :+ 64], dst=%s[0 :+ 64]
// after:   parallel [%i: int32], [64] { store %s, [%i], %A[%bx * 64 + %i] }
//
// From here on one mechanism distributes work over threads: that of parallel loops.

#include "passes/thread/tiles_to_loops.h"

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/bounds.h"
#include "analysis/facts.h"
#include "analysis/scope.h"
#include "analysis/uniform.h"
#include "ir/index.h"
#include "ir/tile_match.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/guarded_stores.h"
#include "passes/thread/point_loop.h"

namespace tl {
namespace {

/// Whether element `i + offset` of dimension d is inside, for every dimension of a region that may leave its tensor.
Expr inside(const Buffer& buffer, const std::vector<Expr>& at) {
  Expr all = make_bool(true);
  for (size_t d = 0; d < at.size(); ++d) {
    const Expr index = widen_index(at[d]);
    all = logical_and(all, logical_and(make_int(DType::i64(), 0) <= index, index < widen_index(buffer->shape[d])));
  }
  return all;
}

/// Offsets as they are before the operation, which may write what they are read from.
Region with_fixed_offsets(const Region& region, const Loc& loc, Block& out) {
  Region fixed = region;
  for (Expr& offset : fixed.offsets) {
    if (is_memory_free(offset)) continue;
    auto bind = make_op<Bind>(loc);
    // As an index it does not wrap.
    bind->value = widen_index(offset);
    bind->var = Var("offset", bind->value.dtype());
    offset = bind->var;
    out.push_back(std::move(bind));
  }
  return fixed;
}

Block copy_points(const Region& from_region, const Region& to_region, const Expr& pad, const Loc& loc) {
  Block out;
  const Region src = with_fixed_offsets(from_region, loc, out), dst = with_fixed_offsets(to_region, loc, out);
  std::vector<Expr> extents;
  std::vector<MatchedDim> looped;
  for (const MatchedDim& dim : match_dims(src, dst)) {
    if (!dim.src || !dim.dst || is_const_int(dim.extent, 1)) continue;
    extents.push_back(dim.extent);
    looped.push_back(dim);
  }
  auto loop = make_points(extents, loc, [&](const std::vector<Var>& vars) {
    std::vector<Expr> from = src.offsets, to = dst.offsets;
    for (size_t i = 0; i < looped.size(); ++i) {
      from[*looped[i].src] = offset_by(from[*looped[i].src], vars[i]);
      to[*looped[i].dst] = offset_by(to[*looped[i].dst], vars[i]);
    }
    const DType type = dst.buffer->dtype;
    Expr value = cast(type, load(src.buffer, from));
    const bool pads = pad && src.buffer->space == MemorySpace::kGlobal && !is_const_int(pad, 0);
    if (pads) value = select(inside(src.buffer, from), value, cast(type, pad));
    return one_op(make_store(dst.buffer, std::move(to), std::move(value), loc));
  });
  out.push_back(std::move(loop));
  return out;
}

Block fill_points(const Fill& fill) {
  Block out;
  const Region dst = with_fixed_offsets(fill.dst, fill.loc, out);
  std::vector<Expr> extents;
  std::vector<size_t> looped;
  for (size_t d = 0; d < fill.dst.extents.size(); ++d) {
    if (is_const_int(fill.dst.extents[d], 1)) continue;
    extents.push_back(fill.dst.extents[d]);
    looped.push_back(d);
  }
  Expr value = fill.value;
  if (value.kind() != ExprKind::kConst) {
    // The value may read memory that the fill writes: it is evaluated once, before.
    auto bind = make_op<Bind>(fill.loc);
    bind->var = Var("value", value.dtype());
    bind->value = value;
    value = bind->var;
    out.push_back(std::move(bind));
  }
  auto loop = make_points(extents, fill.loc, [&](const std::vector<Var>& vars) {
    std::vector<Expr> at = dst.offsets;
    for (size_t i = 0; i < vars.size(); ++i) at[looped[i]] = offset_by(at[looped[i]], vars[i]);
    return one_op(make_store(fill.dst.buffer, std::move(at), value, fill.loc));
  });
  out.push_back(std::move(loop));
  return out;
}

Block lower(OpPtr op) {
  if (const auto* copy = op->as<Copy>()) {
    Block out = copy_points(copy->src, copy->dst, copy->pad, copy->loc);
    if (is_async(copy->hints)) out.back()->as<Parallel>()->hints[kAsyncHint] = true;
    return out;
  }
  if (const auto* move = op->as<Relayout>()) return copy_points(move->src, move->dst, nullptr, move->loc);
  if (const auto* fill = op->as<Fill>()) return fill_points(*fill);
  return one_op(std::move(op));
}

/// Arrays of threads that hold the same in all of them and that a tile operation names.
void spread_tiles(Launch& launch) {
  const Uniformity uniformity(launch);
  std::unordered_set<const BufferNode*> tiles;
  visit_ops(launch.body, [&](Op& op) {
    for_each_region(op, [&](const RegionAccess& access) {
      const Buffer& buffer = access.region->buffer;
      if (buffer->space == MemorySpace::kLocal && uniformity.is_uniform(buffer)) tiles.insert(buffer.get());
    });
  });
  Substitution s;
  visit_ops(launch.body, [&](Op& op) {
    auto* alloc = op.as<Alloc>();
    if (alloc == nullptr || tiles.count(alloc->buffer.get()) == 0) return;
    const BufferNode& b = *alloc->buffer;
    const Buffer fragment = make_buffer(b.name, b.dtype, b.shape, MemorySpace::kFragment, b.strides, b.loc);
    s.buffers[alloc->buffer.get()] = fragment;
    alloc->buffer = fragment;
  });
  if (!s.empty()) substitute(launch.body, s);
}

// --- names of indices ------------------------------------------------------------------------------------------------

/// Larger values keep their names.
constexpr int kMostNodes = 64;

int count_nodes(const Expr& e) {
  int out = 1;
  for_each_operand(e, [&](const Expr& operand) {
    if (out <= kMostNodes) out += count_nodes(operand);
  });
  return out;
}

/// Whether the integer is the same where sums do not wrap, as in an index.
bool fits(const Expr& e, const Facts& facts) {
  return is_memory_free(e) && Interval::of(e.dtype()).contains(bounds(widen_index(e), facts));
}

/// Whether the name may stand for its value in an index too.
bool is_plain_index(const Bind& bind, const Facts& facts) {
  const DType type = bind.var.dtype();
  return type.is_integral() && !type.is_bool() && is_pure(bind.value) && fits(bind.value, facts);
}

/// The statements inside of parallel loops.
std::unordered_set<const Op*> ops_of_points(const Function& function) {
  std::unordered_set<const Op*> out;
  visit_ops(function.body, [&](const Op& op) {
    const auto* loop = op.as<Parallel>();
    if (loop != nullptr) visit_ops(loop->body, [&](const Op& inner) { out.insert(&inner); });
  });
  return out;
}

/// Puts the places that points name, such as a row, where the names stand: layouts and vectors are found by looking at
/// indices.
void place_index_names(Function& function) {
  const std::unordered_set<const Op*> of_points = ops_of_points(function);
  if (of_points.empty()) return;
  Substitution known;
  std::unordered_set<const Op*> placed;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    const auto* bind = op.as<Bind>();
    if (bind == nullptr || of_points.count(bind) == 0 || !is_plain_index(*bind, facts)) return;
    const Expr value = substitute(bind->value, known);
    if (count_nodes(value) > kMostNodes) return;
    known.vars.emplace(bind->var.get(), value);
    placed.insert(bind);
  });
  if (known.empty()) return;
  rewrite_ops(function.body, [&](OpPtr op) { return placed.count(op.get()) != 0 ? Block() : one_op(std::move(op)); });
  substitute(function.body, known);
}

/// Comparisons of sums that do not wrap as such of 64 bits, as conditions on indices are made.
Expr with_wide_comparisons(const Expr& e, const Facts& facts) {
  const auto* n = e.as<BinaryNode>();
  const bool compares = n != nullptr && (n->op == BinaryOp::kLt || n->op == BinaryOp::kLe || n->op == BinaryOp::kGt ||
                                         n->op == BinaryOp::kGe);
  if (compares && n->a.dtype() == DType::i32() && fits(n->a, facts) && fits(n->b, facts)) {
    return binary(n->op, widen_index(n->a), widen_index(n->b));
  }
  return map_operands(e, [&](const Expr& operand) { return with_wide_comparisons(operand, facts); });
}

/// Gives the user's conditions at points, such as `row < n`, the form of those that guard accesses.
void widen_conditions(Function& function) {
  const std::unordered_set<const Op*> at_points = ops_of_points(function);
  if (at_points.empty()) return;
  Facts everywhere(function);
  rewrite_ops(function.body, everywhere, [&](OpPtr op, Facts& facts) {
    const bool asks = op->kind == OpKind::kIf || op->kind == OpKind::kStore || op->kind == OpKind::kBind;
    if (asks && at_points.count(op.get()) != 0) {
      map_values(*op, [&](const Expr& e) { return with_wide_comparisons(e, facts); });
    }
    return one_op(std::move(op));
  });
}

// --- points that read what they store --------------------------------------------------------------------------------

/// Whether a point loads memory that it stores to, and stores to a fragment too. Several threads may then run it, of
/// which one makes the store to memory that the others read.
bool reads_back(const std::vector<GuardedStore>& stores) {
  bool fragment = false, meets = false;
  const auto look = [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      const auto* n = part.as<LoadNode>();
      if (n == nullptr || !is_memory(n->buffer)) return;
      for (const GuardedStore& store : stores) {
        meets |= store.buffer == n->buffer || (is_shared(store.buffer->space) && is_shared(n->buffer->space));
      }
    });
  };
  for (const GuardedStore& store : stores) {
    fragment |= store.buffer->space == MemorySpace::kFragment;
    for (const NamedValue& v : store.values) look(v.value);
    for (const Expr& c : store.conditions) look(c);
    look(store.value);
  }
  return fragment && meets;
}

/// The stores of a loop as loops of one store each. What has a name, and what is asked of memory, becomes a fragment;
/// between loops threads wait for each other.
class SeparateLoops {
 public:
  explicit SeparateLoops(const Parallel& loop) : loop_(loop) {}

  Block run(const std::vector<GuardedStore>& stores) {
    size_t named = 0;
    for (const GuardedStore& store : stores) {
      for (; named < store.values.size(); ++named) {
        const NamedValue& v = store.values[named];
        const std::vector<Expr> around(store.conditions.begin(),
                                       store.conditions.begin() + static_cast<std::ptrdiff_t>(v.conditions));
        names_.vars.emplace(v.var.get(), held(v.var.name(), v.value, asked(around), v.loc));
      }
      GuardedStore own = store;
      own.conditions = asked(store.conditions);
      for (Expr& index : own.indices) index = substitute(index, names_);
      own.value = substitute(store.value, names_);
      add(std::move(own));
    }
    return std::move(out_);
  }

 private:
  /// The conditions, those of memory as they were when they were first asked.
  std::vector<Expr> asked(const std::vector<Expr>& conditions) {
    std::vector<Expr> out;
    for (const Expr& c : conditions) {
      const Expr plain = substitute(c, names_);
      if (is_memory_free(c)) {
        out.push_back(plain);
        continue;
      }
      const auto [known, first] = conditions_.try_emplace(c.get());
      if (first) known->second = held("asked", plain, out, loop_.loc);
      out.push_back(known->second);
    }
    return out;
  }

  /// An element of a new fragment, which holds the value where the conditions hold.
  Expr held(const std::string& name, const Expr& value, std::vector<Expr> conditions, const Loc& loc) {
    auto alloc = make_op<Alloc>(loc);
    alloc->buffer = make_buffer(name, value.dtype(), loop_.extents, MemorySpace::kFragment, {}, loc);
    GuardedStore store;
    store.conditions = std::move(conditions);
    store.buffer = alloc->buffer;
    store.indices.assign(loop_.vars.begin(), loop_.vars.end());
    store.value = substitute(value, names_);
    store.loc = loc;
    out_.push_back(std::move(alloc));
    const Expr element = load(store.buffer, store.indices);
    add(std::move(store));
    return element;
  }

  void add(GuardedStore store) {
    store.values.clear();
    auto points = make_op<Parallel>(loop_.loc);
    points->vars = loop_.vars;
    points->extents = loop_.extents;
    points->hints = loop_.hints;
    points->body = statements_of({&store, 1});
    for (OpPtr& op : clone_with_new_definitions(one_op(std::move(points)))) out_.push_back(std::move(op));
  }

  const Parallel& loop_;
  Block out_;
  Substitution names_;
  std::unordered_map<const ExprNode*, Expr> conditions_;
};

Block separate(OpPtr op) {
  const auto* loop = op->as<Parallel>();
  std::vector<GuardedStore> stores;
  if (loop == nullptr || !static_extents(*loop) || !collect_stores(loop->body, stores) || stores.size() < 2) {
    return one_op(std::move(op));
  }
  // Names of one branch are not those of another.
  for (size_t i = 1; i < stores.size(); ++i) {
    const auto& before = stores[i - 1].values;
    const auto& now = stores[i].values;
    const bool prefix = before.size() <= now.size() &&
                        std::equal(before.begin(), before.end(), now.begin(),
                                   [](const auto& a, const auto& b) { return a.var.get() == b.var.get(); });
    if (!prefix) return one_op(std::move(op));
  }
  return reads_back(stores) ? SeparateLoops(*loop).run(stores) : one_op(std::move(op));
}

}  // namespace

void tiles_to_loops(Function& function, PassContext&) {
  place_index_names(function);
  widen_conditions(function);
  // Statements around a launch are those of a core, whose engines move tiles.
  visit_ops(function.body, [](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    spread_tiles(*launch);
    rewrite_ops(launch->body, lower);
    rewrite_ops(launch->body, separate);
  });
}

}  // namespace tl
