// advance-loads
//
// before:  thread.reduce sum, values=%s…
//          alloc %w: local bfloat16[8]
//          for %v < 8, vectorized { store %w, [%v], %W[%tx * 8 + %v] }
// after:   alloc %w: local bfloat16[8]
//          for %v < 8, vectorized { store %w, [%v], %W[%tx * 8 + %v] }
//          thread.reduce sum, values=%s…
//
// A reduction over threads meets at barriers, which neither the source compiler nor the machine moves loads over. What
// is loaded ahead occupies registers meanwhile, so that there is a bound to it.

#include "passes/thread/advance_loads.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "analysis/accesses.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"

namespace tl {
namespace {

/// Of one thread, over all loads that are moved: 16 registers, which cost less in threads at a time than the wait does.
constexpr int64_t kMostBytes = 64;

/// Unrolled loops around one move of a vector from global memory into an array of the thread.
struct VectorLoad {
  Buffer array;
  /// What the indices are made of, without the loops' own variables.
  std::unordered_set<const ExprNode*> vars;
};

std::optional<VectorLoad> vector_load(const Op& op) {
  std::unordered_set<const ExprNode*> own;
  const Op* at = &op;
  for (const auto* loop = at->as<For>(); loop != nullptr; loop = at->as<For>()) {
    const bool unrolled = loop->loop == LoopKind::kUnrolled || loop->loop == LoopKind::kVectorized;
    if (!unrolled || loop->body.size() != 1 || !as_int(loop->begin) || !as_int(loop->end)) return std::nullopt;
    if (is_async(loop->hints)) return std::nullopt;
    own.insert(loop->var.get());
    at = loop->body[0].get();
  }
  const auto* store = at->as<Store>();
  const auto* load = store != nullptr ? store->value.as<LoadNode>() : nullptr;
  if (own.empty() || load == nullptr || store->buffer->space != MemorySpace::kLocal) return std::nullopt;
  if (load->buffer->space != MemorySpace::kGlobal) return std::nullopt;
  VectorLoad out{store->buffer, {}};
  bool plain = true;
  const auto collect = [&](const Expr& index) {
    visit_exprs(index, [&](const Expr& part) {
      plain = plain && part.kind() != ExprKind::kLoad && part.kind() != ExprKind::kCall;
      if (part.kind() == ExprKind::kVar && own.count(part.get()) == 0) out.vars.insert(part.get());
    });
  };
  for (const Expr& index : store->indices) collect(index);
  for (const Expr& index : load->indices) collect(index);
  return plain ? std::optional(std::move(out)) : std::nullopt;
}

class Advance {
 public:
  explicit Advance(const Function& function) : aliases_(function) {}

  void run(Block& ops) {
    size_t wait = kNowhere;  // the reduction before which loads can go
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op& op = *ops[i];
      // What others may have written before a barrier is seen only behind it.
      if (writes_global(op)) return;
      if (op.kind == OpKind::kThreadReduce) {
        wait = std::min(wait, i);
      } else if (op.kind == OpKind::kAssert || op.kind == OpKind::kAssume) {
        wait = kNowhere;  // it may be what keeps the indices of loads inside
      } else if (wait != kNowhere) {
        wait += move_ahead(ops, wait, i);
      }
    }
  }

 private:
  static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

  bool writes_global(const Op& op) const {
    if (has_unknown_effects(op)) return true;
    bool found = is_grid_barrier(op);
    for_each_block(op, [&](std::string_view, const Block& block) {
      visit_ops(block, [&](const Op& inner) { found |= is_grid_barrier(inner); });
    });
    for (const Access& access : accesses(op)) {
      found |= access.writes && aliases_.root(access.buffer)->space == MemorySpace::kGlobal;
    }
    return found;
  }

  /// Moves the statement at `i`, and the allocation of its array, before the one at `to`; how many were moved.
  size_t move_ahead(Block& ops, size_t to, size_t i) {
    const auto load = vector_load(*ops[i]);
    if (!load || bytes_ + array_bytes(load->array) > kMostBytes) return 0;
    std::optional<size_t> alloc;
    for (size_t k = to; k < i; ++k) {
      const auto* made = ops[k]->as<Alloc>();
      if (made != nullptr && made->buffer == load->array) {
        alloc = k;
      } else if (touches(*ops[k], *load)) {
        return 0;
      }
    }
    bytes_ += array_bytes(load->array);
    const auto first = ops.begin() + static_cast<std::ptrdiff_t>(to);
    std::rotate(first, ops.begin() + static_cast<std::ptrdiff_t>(i), ops.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (!alloc) return 1;
    const auto moved = ops.begin() + static_cast<std::ptrdiff_t>(*alloc) + 1;  // the load now stands before it
    std::rotate(ops.begin() + static_cast<std::ptrdiff_t>(to), moved, moved + 1);
    return 2;
  }

  static bool touches(const Op& op, const VectorLoad& load) {
    bool found = false;
    for_each_definition(op, [&](const Var& var) { found |= load.vars.count(var.get()) != 0; }, [](const Buffer&) {});
    for (const Access& access : accesses(op)) found |= access.buffer == load.array;
    const auto* view = op.as<View>();
    return found || (view != nullptr && view->source == load.array);
  }

  Aliases aliases_;
  int64_t bytes_ = 0;
};

}  // namespace

void advance_loads(Function& function, PassContext&) {
  visit_ops(function.body, [&](Op& op) {
    if (auto* launch = op.as<Launch>()) Advance(function).run(launch->body);
  });
}

}  // namespace tl
