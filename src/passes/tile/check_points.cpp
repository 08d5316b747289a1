#include "passes/tile/check_points.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"

namespace tl {
namespace {

/// Which of a parallel loop's variables a value may depend on, one bit each; all of them where that cannot be said.
using Dependence = uint64_t;
constexpr Dependence kUnknown = ~Dependence{0};

class PointCheck {
 public:
  PointCheck(const Parallel& loop, Diagnostics& diagnostics) : loop_(loop), diagnostics_(diagnostics) {
    for (size_t i = 0; i < loop.vars.size(); ++i) depends_[loop.vars[i].get()] = Dependence{1} << i;
    block(loop.body, 0);
  }

 private:
  Dependence of(const Expr& e) const {
    Dependence out = 0;
    visit_exprs(e, [&](const Expr& part) {
      // Elements may differ from point to point in ways that nobody looks at here.
      if (part.kind() == ExprKind::kLoad || part.kind() == ExprKind::kCall) out = kUnknown;
      const auto it = depends_.find(part.get());
      if (it != depends_.end()) out |= it->second;
    });
    return out;
  }

  /// `guarded`: variables that decide whether the statement runs.
  void block(const Block& ops, Dependence guarded) {
    for (const OpPtr& op : ops) {
      if (const auto* bind = op->as<Bind>()) depends_[bind->var.get()] = of(bind->value);
      if (const auto* alloc = op->as<Alloc>()) own_.insert(alloc->buffer.get());
      if (const auto* view = op->as<View>(); view != nullptr && own_.count(view->source.get()) != 0) {
        own_.insert(view->buffer.get());
      }
      if (const auto* store = op->as<Store>()) check(*store, guarded);
      Dependence inner = guarded;
      for_each_expr(*op, [&](const Expr& e) { inner |= of(e); });
      if (const auto* loop = op->as<For>()) depends_[loop->var.get()] = of(loop->begin) | of(loop->step);
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { block(nested, inner); });
      if (may_jump(*op)) guarded = kUnknown;
    }
  }

  static bool may_jump(const Op& op) {
    bool jumps = op.kind == OpKind::kBreak || op.kind == OpKind::kContinue;
    for_each_block(op, [&](std::string_view, const Block& nested) {
      visit_ops(nested, [&](const Op& o) { jumps |= o.kind == OpKind::kBreak || o.kind == OpKind::kContinue; });
    });
    return jumps;
  }

  void check(const Store& store, Dependence guarded) {
    if (own_.count(store.buffer.get()) != 0) return;
    const bool accumulates = reads_itself(store);
    // A thread's own variable holds a value from one statement to the next, which is no conflict.
    if (is_per_thread(store.buffer->space) && !accumulates) return;
    Dependence used = guarded;
    for (const Expr& index : store.indices) used |= of(index);
    std::string names;
    for (size_t i = 0; i < loop_.vars.size(); ++i) {
      const auto extent = as_int(loop_.extents[i]);
      if ((used >> i & 1) != 0 || (extent && *extent <= 1)) continue;
      names += (names.empty() ? "`" : "`, `") + loop_.vars[i].name();
    }
    if (names.empty() || !warned_.insert(store.buffer.get()).second) return;
    warn(store, names + "`", accumulates);
  }

  void warn(const Store& store, const std::string& names, bool accumulates) {
    Diagnostic& d = diagnostics_.warning(
        122, store.loc,
        fmt::format("iterations of T.Parallel that differ only in {} {} the same element of `{}`, in no order", names,
                    accumulates ? "all update" : "all write", store.buffer->name));
    d.notes.push_back({"the parallel loop is here", loop_.loc});
    d.help = accumulates ? "sum with T.reduce_sum over a fragment, or make the loop T.serial"
                         : "index the element by every loop variable, or guard the store with `if`";
  }

  static bool reads_itself(const Store& store) {
    bool reads = false;
    visit_exprs(store.value, [&](const Expr& part) {
      const auto* load = part.as<LoadNode>();
      reads |= load != nullptr && load->buffer == store.buffer;
    });
    return reads;
  }

  const Parallel& loop_;
  Diagnostics& diagnostics_;
  std::unordered_map<const ExprNode*, Dependence> depends_;
  std::unordered_set<const BufferNode*> own_, warned_;
};

}  // namespace

void check_points(const Parallel& loop, Diagnostics& diagnostics) { PointCheck(loop, diagnostics); }

}  // namespace tl
