#include "passes/lower/split_threads_emit.h"

#include <algorithm>
#include <unordered_map>

#include "ir/walk.h"
#include "passes/lower/split_threads_copies.h"
#include "passes/lower/split_threads_uses.h"

namespace tl {
namespace {

class Emitter {
 public:
  Emitter(Launch& launch, SplitPlan& plan, const Aliases& aliases)
      : launch_(launch), plan_(plan), copies_(thread_count(launch), [this, &aliases](const Buffer& b) {
          return is_per_thread(b->space) && kind_of(aliases.root(b).get()) == Storage::kPerThread;
        }) {
    for (const auto& [root, storage] : plan.storage) {
      if (storage.kind != Storage::kPrivate) continue;
      for (Op* op : storage.declarations) private_in_[op] = storage.run;
    }
  }

  void run() {
    Block out;
    block(launch_.body, {0, thread_count(launch_)}, out);
    launch_.body = std::move(out);
    launch_.lanes.clear();
  }

 private:
  static int64_t thread_count(const Launch& launch) {
    return lane_extent(launch, 0) * lane_extent(launch, 1) * lane_extent(launch, 2);
  }

  /// Buffers that are not listed live inside one run.
  Storage::Kind kind_of(const BufferNode* root) const {
    const auto it = plan_.storage.find(root);
    return it == plan_.storage.end() ? Storage::kPrivate : it->second.kind;
  }

  // --- statements that run once
  // ---------------------------------------------------------------------------------------

  void block(Block& ops, ThreadRange threads, Block& out) {
    const auto it = plan_.blocks.find(&ops);
    TL_CHECK(it != plan_.blocks.end(), "a block without a plan");
    const std::vector<PlanItem> items = std::move(it->second);
    for (OpPtr& op : ops) {
      Op* key = op.get();
      owned_[key] = std::move(op);
    }
    for (const PlanItem& item : items) {
      if (item.op != nullptr) {
        once(*item.op, threads, out);
      } else {
        thread_loop(item.run, out);
      }
    }
  }

  OpPtr take(const Op& op) { return std::move(owned_.at(&op)); }

  void once(Op& op, ThreadRange threads, Block& out) {
    if (private_in_.count(&op) != 0) return;  // declared inside the loop of its run
    if (op.kind == OpKind::kAlloc && copies_.holds(static_cast<Alloc&>(op).buffer))
      return allocate_all(op, threads, out);
    // All threads see the same here, so the first one's copy stands for all.
    const Expr first = make_int(DType::i32(), threads.first);
    OpPtr taken = take(op);
    if (plan_.split.count(&op) == 0) {
      copies_.at_thread(op, first);
      return out.push_back(std::move(taken));
    }
    copies_.own_fields_at_thread(op, first);
    if (auto* group = op.as<Group>()) return block(group->body, {group->first, group->count}, out);
    for_each_block(op, [&](std::string_view, Block& nested) {
      Block done;
      block(nested, threads, done);
      nested = std::move(done);
    });
    out.push_back(std::move(taken));
  }

  /// The entries of all threads; an initial value is stored by a loop over them.
  void allocate_all(Op& op, ThreadRange threads, Block& out) {
    OpPtr taken = take(op);
    auto* alloc = taken->as<Alloc>();
    const Expr init = std::exchange(alloc->init, {});
    const Buffer one = std::exchange(alloc->buffer, copies_.all_of(alloc->buffer));
    const Loc loc = op.loc;
    out.push_back(std::move(taken));
    if (!init) return;
    Block body;
    body.push_back(store_to(one, std::vector<Expr>(one->rank(), 0), init, loc));
    wrap(std::move(body), {}, threads, loc, out);
  }

  static OpPtr store_to(const Buffer& buffer, std::vector<Expr> indices, const Expr& value, const Loc& loc) {
    auto store = make_op<Store>(loc);
    store->buffer = buffer;
    store->indices = std::move(indices);
    store->value = value;
    return store;
  }

  // --- runs
  // -----------------------------------------------------------------------------------------------------------

  void thread_loop(int index, Block& out) {
    const ThreadRun& run = plan_.runs[index];
    if (std::all_of(run.ops.begin(), run.ops.end(), [&](const Op* op) { return only_recomputed(*op); })) return;
    Block body;
    Substitution renamed;
    recall(run, index, renamed, body);
    for (const BufferNode* root : plan_.stored_buffers) declare_private(plan_.storage.at(root), index, run, body);
    for (Op* op : run.ops) add(*op, index, body, out);
    wrap(std::move(body), std::move(renamed), run.threads, run.ops.front()->loc, out);
  }

  void add(Op& op, int index, Block& body, Block& out) {
    OpPtr taken = take(op);
    auto* alloc = taken->as<Alloc>();
    if (alloc != nullptr && copies_.holds(alloc->buffer)) {
      const Buffer one = alloc->buffer;
      body.push_back(store_to(one, std::vector<Expr>(one->rank(), 0), std::exchange(alloc->init, {}), op.loc));
      alloc->buffer = copies_.all_of(one);
      return out.push_back(std::move(taken));
    }
    const auto* bind = taken->as<Bind>();
    const bool kept = bind != nullptr && is_kept(bind->var);
    const Var var = kept ? bind->var : Var();
    body.push_back(std::move(taken));
    if (alloc != nullptr) declare_views(alloc->buffer, index, body);
    if (!kept) return;
    auto array = make_op<Alloc>(op.loc);
    array->buffer = kept_[var.get()] = make_buffer(
        var.name(), var.dtype(), {make_int(DType::i32(), thread_count(launch_))}, MemorySpace::kShared, {}, op.loc);
    body.push_back(store_to(array->buffer, {thread()}, var, op.loc));
    out.push_back(std::move(array));
  }

  /// A value that nothing in its own run uses, or that is computed anew where it is used.
  bool only_recomputed(const Op& op) const {
    const auto* bind = op.as<Bind>();
    return bind != nullptr && is_pure(bind->value) && !is_kept(bind->var);
  }

  bool is_kept(const Var& var) const {
    const auto it = plan_.crossing.find(var.get());
    return it != plan_.crossing.end() && !it->second.recompute;
  }

  /// Declarations that only this run needs. Views of a buffer that the run itself allocates stand behind it.
  void declare_private(const Storage& storage, int index, const ThreadRun& run, Block& body) {
    if (storage.kind != Storage::kPrivate || storage.run != index) return;
    const auto in_run = [&](const Op* op) { return std::find(run.ops.begin(), run.ops.end(), op) != run.ops.end(); };
    if (std::any_of(storage.declarations.begin(), storage.declarations.end(), in_run)) return;
    for (const Op* op : storage.declarations) declare(*op, body);
  }

  void declare_views(const Buffer& root, int index, Block& body) {
    const auto it = plan_.storage.find(root.get());
    if (it == plan_.storage.end() || it->second.run != index) return;
    for (const Op* op : it->second.declarations) {
      if (op->kind == OpKind::kView) declare(*op, body);
    }
  }

  /// A view in another block than its private buffer is used by nothing, and not there yet.
  void declare(const Op& op, Block& body) {
    if (owned_.count(&op) != 0) body.push_back(take(op));
  }

  /// Binds anew what the run uses of values bound in other runs.
  void recall(const ThreadRun& run, int index, Substitution& renamed, Block& body) {
    std::vector<const CrossingBind*> needed;
    const std::function<void(const ExprNode*)> need = [&](const ExprNode* var) {
      const auto it = plan_.crossing.find(var);
      if (it == plan_.crossing.end() || it->second.run == index) return;
      if (std::find(needed.begin(), needed.end(), &it->second) != needed.end()) return;
      if (it->second.recompute) {
        visit_exprs(it->second.value, [&](const Expr& e) {
          if (e.kind() == ExprKind::kVar) need(e.get());
        });
      }
      needed.push_back(&it->second);
    };
    for (const Op* op : run.ops) for_each_used_var(*op, need);
    for (const CrossingBind* crossing : needed) {
      const Var& var = crossing->var;
      auto bind = make_op<Bind>(crossing->loc);
      bind->var = Var(var.name(), var.dtype());
      bind->value = crossing->recompute ? crossing->value : load(kept_.at(var.get()), {thread()});
      renamed.vars[var.get()] = bind->var;
      body.push_back(std::move(bind));
    }
  }

  // --- loops over threads
  // ---------------------------------------------------------------------------------------------

  /// The linear number of the thread, in terms of the launch's lanes.
  Expr thread() const {
    Expr number;
    for (size_t d = 3; d-- > 0;) {
      const int64_t extent = lane_extent(launch_, d);
      if (extent == 1) continue;
      const Expr& lane = launch_.lanes[d];
      number = number ? number * make_int(lane.dtype(), extent) + lane : lane;
    }
    return number ? number : Expr(0);
  }

  void wrap(Block body, Substitution renamed, ThreadRange threads, const Loc& loc, Block& out) {
    for (OpPtr& op : body) copies_.at_thread(*op, thread());
    body = only_for(threads, std::move(body), loc);
    std::vector<Var> fresh;
    for (const Var& lane : launch_.lanes) {
      fresh.emplace_back(lane.name(), lane.dtype());
      renamed.vars[lane.get()] = fresh.back();
    }
    // Values recalled from other runs name each other and the lanes.
    for (OpPtr& op : body) substitute(*op, renamed);
    for (size_t d = 0; d < fresh.size(); ++d) {
      if (lane_extent(launch_, d) == 1) continue;
      const auto [first, last] = loop_bounds(d, threads);
      auto loop = make_op<For>(loc);
      loop->var = fresh[d];
      loop->begin = make_int(fresh[d].dtype(), first);
      loop->end = make_int(fresh[d].dtype(), last);
      loop->step = make_int(fresh[d].dtype(), 1);
      loop->body = std::move(body);
      body.clear();
      body.push_back(std::move(loop));
    }
    for (OpPtr& op : body) out.push_back(std::move(op));
  }

  bool is_line() const {
    return std::count_if(launch_.threads.begin(), launch_.threads.end(), [](int64_t n) { return n > 1; }) <= 1;
  }

  std::pair<int64_t, int64_t> loop_bounds(size_t d, ThreadRange threads) const {
    if (is_line()) return {threads.first, threads.first + threads.count};
    return {0, lane_extent(launch_, d)};
  }

  /// A part of a box of threads is no box: its loops run over all threads and leave out the others.
  Block only_for(ThreadRange threads, Block body, const Loc& loc) const {
    if (is_line() || threads == ThreadRange{0, thread_count(launch_)}) return body;
    auto branch = make_op<If>(loc);
    branch->condition = logical_and(thread() >= make_int(DType::i32(), threads.first),
                                    thread() < make_int(DType::i32(), threads.first + threads.count));
    branch->then_body = std::move(body);
    Block out;
    out.push_back(std::move(branch));
    return out;
  }

  Launch& launch_;
  SplitPlan& plan_;
  ThreadCopies copies_;
  std::unordered_map<const Op*, OpPtr> owned_;
  std::unordered_map<const Op*, int> private_in_;
  /// Arrays of values that several runs use.
  std::unordered_map<const ExprNode*, Buffer> kept_;
};

}  // namespace

void emit_split(Launch& launch, SplitPlan& plan, const Aliases& aliases) { Emitter(launch, plan, aliases).run(); }

}  // namespace tl
