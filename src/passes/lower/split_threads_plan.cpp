#include "passes/lower/split_threads_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/walk.h"
#include "passes/lower/split_threads_placement.h"
#include "passes/lower/split_threads_uses.h"

namespace tl {
namespace {

/// A value worth computing again rather than keeping: arithmetic on names only.
bool is_cheap(const Expr& e) {
  int nodes = 0;
  bool cheap = true;
  visit_exprs(e, [&](const Expr& part) {
    ++nodes;
    cheap &= part.kind() != ExprKind::kLoad && part.kind() != ExprKind::kCall;
  });
  constexpr int kMaxNodes = 24;
  return cheap && nodes <= kMaxNodes;
}

/// Forms runs block by block, then decides what becomes of buffers and of values that several runs use.
class Planner {
 public:
  Planner(const Placement& placement, const ThreadAccesses& accesses, const Aliases& aliases, Diagnostics& diagnostics)
      : placement_(placement), accesses_(accesses), aliases_(aliases), diagnostics_(diagnostics) {}

  SplitPlan plan(Launch& launch, ThreadRange all) {
    block(launch.body, all);
    place_storage();
    visit_ops(std::as_const(launch.body), [&](const Op& op) { refuse_mixed_use(op); });
    find_crossing();
    return std::move(plan_);
  }

 private:
  // --- runs
  // -----------------------------------------------------------------------------------------------------------

  void block(Block& ops, ThreadRange threads) {
    std::vector<PlanItem> items;
    std::optional<ThreadRun> pending;
    const auto flush = [&] {
      if (!pending) return;
      items.push_back({nullptr, static_cast<int>(plan_.runs.size())});
      plan_.runs.push_back(std::move(*pending));
      pending.reset();
    };
    for (OpPtr& op : ops) {
      note_declaration(*op, &ops);
      if (placement_.per_thread(*op)) {
        if (pending && !may_join(*pending, *op)) flush();
        if (!pending) pending = ThreadRun{{}, &ops, threads};
        pending->ops.push_back(op.get());
        continue;
      }
      if (pending && !may_pass(*op, *pending)) flush();
      items.push_back({op.get(), -1});
      if (placement_.split(*op)) enter(*op, threads);
    }
    flush();
    plan_.blocks[&ops] = std::move(items);
  }

  void enter(Op& op, ThreadRange threads) {
    plan_.split.insert(&op);
    if (const auto* group = op.as<Group>()) threads = {group->first, group->count};
    for_each_block(op, [&](std::string_view, Block& nested) { block(nested, threads); });
  }

  bool may_join(const ThreadRun& run, const Op& op) const {
    return std::none_of(run.ops.begin(), run.ops.end(), [&](const Op* o) { return accesses_.conflict(*o, op); });
  }

  /// Whether a statement that runs once may run before the run that stands before it: it has no effect and does not see
  /// what the run writes.
  bool may_pass(const Op& op, const ThreadRun& run) const {
    if (placement_.floats(op)) return true;
    if (op.kind != OpKind::kBind && op.kind != OpKind::kAssume && op.kind != OpKind::kAlloc) return false;
    bool pure = true, reads = false;
    for_each_expr(op, [&](const Expr& e) {
      pure &= is_pure(e);
      reads |= !is_memory_free(e);
    });
    if (!pure || !reads) return pure;
    return std::none_of(run.ops.begin(), run.ops.end(), [&](const Op* o) {
      return has_unknown_effects(*o) || accesses_.conflict(*o, op) || writes_own_of(*o, op);
    });
  }

  bool writes_own_of(const Op& writer, const Op& reader) const {
    const auto written = own_written(writer, aliases_), used = own_used(reader, aliases_);
    return std::find_first_of(used.begin(), used.end(), written.begin(), written.end()) != used.end();
  }

  // --- buffers
  // --------------------------------------------------------------------------------------------------------

  void note_declaration(Op& op, const Block* block) {
    Buffer buffer;
    if (auto* alloc = op.as<Alloc>()) buffer = alloc->buffer;
    if (auto* view = op.as<View>()) buffer = view->buffer;
    if (!buffer || !is_per_thread(buffer->space)) return;
    const BufferNode* root = aliases_.root(buffer).get();
    if (op.kind == OpKind::kAlloc) allocated_in_[root] = block;
    const auto [it, first] = plan_.storage.try_emplace(root);
    if (first) plan_.stored_buffers.push_back(root);
    it->second.declarations.push_back(&op);
  }

  /// Calls `f(root, run)` for every use of a per-thread buffer; `run` is -1 outside runs.
  template <class F>
  void each_use(F&& f) const {
    const auto in_ops = [&](const Op& op, int run) {
      for (const BufferNode* root : own_used(op, aliases_)) f(root, run);
    };
    for (size_t r = 0; r < plan_.runs.size(); ++r) {
      for (const Op* op : plan_.runs[r].ops) in_ops(*op, static_cast<int>(r));
    }
    for (const auto& [block, items] : plan_.blocks) {
      for (const PlanItem& item : items) {
        if (item.op == nullptr || placement_.floats(*item.op)) continue;
        if (plan_.split.count(item.op) == 0) {
          in_ops(*item.op, -1);
        } else {
          for (const BufferNode* root : own_used_here(*item.op, aliases_)) f(root, -1);
        }
      }
    }
  }

  void place_storage() {
    std::unordered_map<const BufferNode*, std::unordered_set<int>> used_in;
    each_use([&](const BufferNode* root, int run) { used_in[root].insert(run); });
    for (const BufferNode* root : plan_.stored_buffers) {
      Storage& storage = plan_.storage.at(root);
      if (!placement_.stored_per_thread(root)) continue;
      storage.kind = Storage::kPerThread;
      const std::unordered_set<int>& runs = used_in[root];
      if (runs.size() != 1 || *runs.begin() < 0) continue;
      const int run = *runs.begin();
      if (plan_.runs[run].block != allocated_in_[root]) continue;
      storage.kind = Storage::kPrivate;
      storage.run = run;
    }
  }

  /// A parallel loop chooses itself which thread runs a point, so it cannot use a buffer that has one entry a thread.
  void refuse_mixed_use(const Op& op) {
    const auto* loop = op.as<Parallel>();
    if (loop == nullptr) return;
    const auto refuse = [&](const BufferNode* root, std::string_view does) {
      const auto it = plan_.storage.find(root);
      if (it == plan_.storage.end() || it->second.kind == Storage::kOne) return;
      Diagnostic& d = diagnostics_.error(
          90, op.loc, fmt::format("this T.Parallel {} `{}`, of which every thread has its own copy", does, root->name));
      if (root->loc) d.notes.push_back({"it was allocated here", root->loc});
      d.help = "which thread runs which iteration is not part of the program: use a fragment or shared memory";
    };
    const BufferList written = own_written(op, aliases_);
    for (const BufferNode* root : own_used(op, aliases_)) {
      const bool writes = std::find(written.begin(), written.end(), root) != written.end();
      if (writes || !placement_.same_for_all(root)) refuse(root, writes ? "writes" : "reads");
    }
  }

  // --- values
  // ---------------------------------------------------------------------------------------------------------

  void find_crossing() {
    for (size_t r = 0; r < plan_.runs.size(); ++r) {
      for (Op* op : plan_.runs[r].ops) {
        const auto* bind = op->as<Bind>();
        if (bind == nullptr) continue;
        bound_[bind->var.get()] = {bind->var, bind->value, bind->loc, static_cast<int>(r), is_cheap(bind->value)};
      }
    }
    for (size_t r = 0; r < plan_.runs.size(); ++r) {
      for (const Op* op : plan_.runs[r].ops) {
        for_each_used_var(*op, [&](const ExprNode* v) { need(v, static_cast<int>(r)); });
      }
    }
  }

  void need(const ExprNode* var, int run) {
    const auto it = bound_.find(var);
    if (it == bound_.end() || it->second.run == run) return;
    plan_.crossing.emplace(var, it->second);
    if (!it->second.recompute) return;
    visit_exprs(it->second.value, [&](const Expr& e) {
      if (e.kind() == ExprKind::kVar) need(e.get(), run);
    });
  }

  const Placement& placement_;
  const ThreadAccesses& accesses_;
  const Aliases& aliases_;
  Diagnostics& diagnostics_;
  SplitPlan plan_;
  std::unordered_map<const BufferNode*, const Block*> allocated_in_;
  std::unordered_map<const ExprNode*, CrossingBind> bound_;
};

}  // namespace

SplitPlan plan_split(Launch& launch, const Uniformity& uniformity, const ThreadAccesses& accesses,
                     const Aliases& aliases, Diagnostics& diagnostics) {
  const Placement placement(launch, uniformity, accesses, aliases, diagnostics);
  const int64_t threads = lane_extent(launch, 0) * lane_extent(launch, 1) * lane_extent(launch, 2);
  return Planner(placement, accesses, aliases, diagnostics).plan(launch, {0, threads});
}

}  // namespace tl
