// forward-tiles
//
// before:  parallel [%i: int32], [2048] { store %a, [%i], %A[%bx * 2048 + %i] }
//          parallel [%j: int32], [2048] { store %c, [%j], %a[%j] + 1.0 }
//          parallel [%k: int32], [2048] { store %C, [%bx * 2048 + %k], %c[%k] }
// after:   parallel [%k: int32], [2048] { store %C, [%bx * 2048 + %k], %A[%bx * 2048 + %k] + 1.0 }
//
// Tiles hold values between statements; where each element goes from one statement to the next and no further, nothing
// has to be held. A load then stands beside the store instead of before it, which is the same as long as the store
// changes nothing that is still to be loaded.

#include "passes/thread/forward_tiles.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/facts.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/guarded_stores.h"
#include "passes/thread/point_loop.h"
#include "passes/thread/tensors_apart.h"
#include "passes/tile/simplify.h"

namespace tl {
namespace {

/// Whether the indices are the loop's variables, in order.
bool are_vars(const std::vector<Expr>& indices, const std::vector<Var>& vars) {
  return std::equal(indices.begin(), indices.end(), vars.begin(), vars.end(),
                    [](const Expr& index, const Var& var) { return index == var; });
}

/// A launch that is a chain of element-wise statements, brought together step by step; the launch itself changes last.
class Chain {
 public:
  Chain(const Function& function, Launch& launch, bool tensors_apart)
      : function_(function), launch_(launch), tensors_apart_(tensors_apart) {}

  /// Whether the launch is one statement now.
  bool run() {
    for (const OpPtr& op : launch_.body) {
      if (const auto* alloc = op->as<Alloc>()) {
        if (!take(*alloc)) return false;
      } else if (const auto* loop = op->as<Parallel>()) {
        if (!take(*loop)) return false;
      } else if (const auto* bind = op->as<Bind>(); bind == nullptr || !is_memory_free(bind->value)) {
        return false;
      }
    }
    if (result_ == nullptr || !forwarded_ || !may_stand_beside_loads()) return false;
    if (relies_on_apart_) launch_.hints[kTensorsApartHint] = true;
    std::erase_if(launch_.body, [](const OpPtr& op) { return op->kind != OpKind::kBind; });
    launch_.body.push_back(std::move(result_));
    return true;
  }

 private:
  /// What a tile holds: the element at `vars`, and what has a name in it.
  struct Content {
    std::vector<Var> vars;
    std::vector<NamedValue> values;
    Expr value;
    Loc loc;
    bool used = false;
  };

  bool take(const Alloc& alloc) {
    const MemorySpace space = alloc.buffer->space;
    return !alloc.init && !alloc.at && alloc.hints.empty() && (space == MemorySpace::kFragment || is_shared(space));
  }

  bool take(const Parallel& loop) {
    // Nothing follows the store to a tensor.
    if (result_ != nullptr) return false;
    std::vector<GuardedStore> stores;
    if (!static_extents(loop) || !collect_stores(loop.body, stores) || stores.size() != 1) return false;
    GuardedStore& store = stores[0];
    if (!store.has_plain_place() || !forward(store, loop)) return false;
    if (store.buffer->space == MemorySpace::kGlobal) return finish(loop, std::move(store));
    if (!loop.hints.empty() || !store.conditions.empty() || !covers(store, loop)) return false;
    contents_[store.buffer.get()] = {loop.vars, std::move(store.values), store.value, store.loc};
    return true;
  }

  /// Whether the statement writes every element of its tile.
  static bool covers(const GuardedStore& store, const Parallel& loop) {
    return are_vars(store.indices, loop.vars) && all_same(store.buffer->shape, loop.extents);
  }

  /// Puts what tiles hold in their place; false where a tile holds something else, or was needed before.
  bool forward(GuardedStore& store, const Parallel& loop) {
    std::vector<NamedValue> values;
    std::unordered_map<const BufferNode*, Expr> elements;
    bool good = true;
    const std::function<Expr(const Expr&)> forwarded = [&](const Expr& part) -> Expr {
      const auto* n = part.as<LoadNode>();
      if (n == nullptr || n->buffer->space == MemorySpace::kGlobal) return map_operands(part, forwarded);
      const auto content = contents_.find(n->buffer.get());
      good = good && content != contents_.end() && are_vars(n->indices, loop.vars) &&
             all_same(n->buffer->shape, loop.extents);
      if (!good) return part;
      const auto [known, first] = elements.try_emplace(n->buffer.get());
      if (first) {
        good = !content->second.used;
        content->second.used = true;
        known->second = element(n->buffer, content->second, loop.vars, values);
      }
      return known->second;
    };
    const auto replace = [&](Expr& value) {
      value = forwarded(value);
      // A value of the thread's own goes with its thread.
      good = good && is_pure(value) && !names_thread(value);
    };
    for (NamedValue& v : store.values) {
      replace(v.value);
      values.push_back(v);
    }
    replace(store.value);
    store.values = std::move(values);
    forwarded_ |= !elements.empty();
    return good;
  }

  /// The tile's element at the loop's point; what it is computed from joins `values`, and so does the element itself
  /// where it is computed.
  static Expr element(const Buffer& tile, const Content& content, const std::vector<Var>& vars,
                      std::vector<NamedValue>& values) {
    Substitution here;
    for (size_t d = 0; d < vars.size(); ++d) here.vars.emplace(content.vars[d].get(), vars[d]);
    for (const NamedValue& v : content.values) {
      values.push_back({Var(v.var.name(), v.var.dtype()), substitute(v.value, here), v.loc});
      here.vars.emplace(v.var.get(), values.back().var);
    }
    const Expr value = substitute(content.value, here);
    if (is_move(value)) return value;
    values.push_back({Var(tile->name, tile->dtype), value, content.loc});
    return values.back().var;
  }

  bool finish(const Parallel& loop, GuardedStore store) {
    auto result = make_op<Parallel>(loop.loc);
    result->vars = loop.vars;
    result->extents = loop.extents;
    result->hints = loop.hints;
    result->body = statements_of({&store, 1});
    result_ = std::move(result);
    store_ = std::move(store);
    return true;
  }

  bool names_thread(const Expr& e) const {
    return std::any_of(launch_.lanes.begin(), launch_.lanes.end(), [&](const Var& lane) { return mentions(e, lane); });
  }

  bool is_parameter(const Buffer& buffer) const {
    return std::any_of(function_.params.begin(), function_.params.end(), [&](const Param& param) {
      const auto* tensor = std::get_if<Buffer>(&param);
      return tensor != nullptr && *tensor == buffer;
    });
  }

  /// Whether the store to one element changes nothing that the statement loads for another.
  bool may_stand_beside_loads() {
    bool good = is_parameter(store_.buffer);
    const auto check = [&](const Expr& part) {
      const auto* n = part.as<LoadNode>();
      if (n == nullptr || !good) return;
      const bool one_element = all_same(n->indices, store_.indices);
      if (n->buffer == store_.buffer) {
        good = one_element;
        return;
      }
      relies_on_apart_ = true;
      good = tensors_apart_ && is_parameter(n->buffer) && (one_element || !same_elements(*n->buffer, *store_.buffer));
    };
    for (const NamedValue& v : store_.values) visit_exprs(v.value, check);
    visit_exprs(store_.value, check);
    return good;
  }

  const Function& function_;
  Launch& launch_;
  const bool tensors_apart_;
  std::unordered_map<const BufferNode*, Content> contents_;
  bool forwarded_ = false, relies_on_apart_ = false;
  GuardedStore store_;
  OpPtr result_;
};

}  // namespace

void forward_tiles(Function& function, PassContext& context) {
  bool changed = false;
  visit_ops(function.body, [&](Op& op) {
    if (auto* launch = op.as<Launch>()) changed |= Chain(function, *launch, context.tensors_apart).run();
  });
  // The condition of the store often is that of the loads.
  if (changed) simplify_function(function, context);
}

}  // namespace tl
