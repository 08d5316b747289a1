// insert-barriers
//
// before:  store %s, [%tx], %A[%tx]
//          store %B, [%tx], %s[127 - %tx]
// after:   store %s, [%tx], %A[%tx]
//          barrier
//          store %B, [%tx], %s[127 - %tx]
//
// One walk in program order keeps what has been touched since the last barrier. A loop's body is walked again with what
// its end leaves; both sides of a branch start alike and their results join.

#include "passes/thread/insert_barriers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/accesses.h"
#include "analysis/linear.h"
#include "analysis/uniform.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/thread/allocate_shared.h"

namespace tl {
namespace {

/// The part `(loop + ahead) % count` of a buffer's first dimension, or `loop + ahead` where `count` is 0, for a loop
/// that counts by 1; any part where there is no loop. Parts of one buffer and loop are the same or share nothing.
struct Version {
  const BufferNode* buffer = nullptr;
  const ExprNode* loop = nullptr;
  int64_t ahead = 0, count = 0;
  bool operator==(const Version&) const = default;

  bool apart(const Version& other) const {
    return loop != nullptr && loop == other.loop && buffer == other.buffer && count == other.count &&
           ahead != other.ahead;
  }
  /// The same part, named by the loop's variable one iteration later.
  Version one_later() const { return {buffer, loop, count == 0 ? ahead - 1 : (ahead + count - 1) % count, count}; }
};

/// Bytes of shared memory, or a tensor.
struct Memory {
  const BufferNode* tensor = nullptr;
  int64_t begin = 0, end = 0;
  Version version = {};
  bool operator==(const Memory&) const = default;

  bool meets(const Memory& other) const {
    if (tensor != other.tensor || version.apart(other.version)) return false;
    return tensor != nullptr || (begin < other.end && other.begin < end);
  }
};

struct Touch {
  Memory memory;
  bool writes;
  /// Done only at a wait.
  bool later = false;
};

using Touches = std::vector<Touch>;

void add(Touches& to, const Touch& touch) {
  for (Touch& t : to) {
    if (t.memory == touch.memory && t.later == touch.later) {
      t.writes |= touch.writes;
      return;
    }
  }
  to.push_back(touch);
}

bool conflict(const Touches& before, const Touches& now) {
  return std::any_of(before.begin(), before.end(), [&](const Touch& a) {
    return std::any_of(now.begin(), now.end(),
                       [&](const Touch& b) { return (a.writes || b.writes) && a.memory.meets(b.memory); });
  });
}

/// What has been touched since the last barrier, and what asynchronous moves write until they are waited for. Those
/// destinations nobody touches before (see ops_thread.h), so they take part in conflicts from the wait on.
struct State {
  Touches touched, moving;

  void add(const Touches& now) {
    for (const Touch& t : now) tl::add(t.later ? moving : touched, t);
  }
  void join(const State& other) {
    add(other.touched);
    add(other.moving);
  }
  /// Which groups are done is not followed: after a wait for some, all may be.
  void wait(int64_t pending) {
    for (const Touch& t : moving) tl::add(touched, {t.memory, t.writes});
    if (pending == 0) moving.clear();
  }
  /// Changes the versions that are known by the variable of `loop`: one iteration later they lie one further behind,
  /// and after the loop they are unknown.
  void next_iteration(const For& loop) {
    change_versions(loop, [](Version& v) { v = v.one_later(); });
  }
  void leave(const For& loop) {
    change_versions(loop, [](Version& v) { v = {}; });
  }

 private:
  template <class F>
  void change_versions(const For& loop, F&& change) {
    State changed;
    for (const Touches* touches : {&touched, &moving}) {
      for (Touch t : *touches) {
        if (t.memory.version.loop == loop.var.get()) change(t.memory.version);
        changed.add({t});
      }
    }
    *this = std::move(changed);
  }
};

class BarrierPlacement {
 public:
  BarrierPlacement(Launch& launch, const Function& function) : uniformity_(launch), aliases_(function) {
    visit_ops(launch.body, [&](Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr || !is_shared(alloc->buffer->space)) return;
      const int64_t begin = std::get<int64_t>(alloc->hints.at("offset"));
      shared_[alloc->buffer.get()] = {nullptr, begin, begin + shared_size(*alloc->buffer)};
    });
    State state;
    block(launch.body, state);
    insert(launch.body);
  }

 private:
  // --- what a statement touches --------------------------------------------------------------------------------------

  void touch(const Buffer& buffer, const std::vector<Expr>& indices, bool writes, Touches& out) const {
    const Buffer root = aliases_.root(buffer);
    if (root->space == MemorySpace::kGlobal) {
      tl::add(out, {{root.get(), 0, 0}, writes});
    } else if (const auto it = shared_.find(root.get()); it != shared_.end()) {
      Memory memory = it->second;
      if (root == buffer) memory.version = version_of(buffer, indices);
      tl::add(out, {memory, writes});
    } else if (is_shared(root->space)) {
      // A tile of the core that runs the launch.
      tl::add(out, {{root.get(), 0, 0}, writes});
    }
  }

  /// The version that `k` or `floormod(k + c, count)` names, for the variable k of a loop around.
  Version version_of(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (indices.size() < 2) return {};
    const auto* widened = indices[0].as<CastNode>();
    const Expr first = widened != nullptr && widened->dtype == DType::i64() ? widened->a : indices[0];
    if (is_loop_around(first.get())) return {buffer.get(), first.get(), 0, 0};
    const auto* mod = first.as<BinaryNode>();
    const auto count = as_int(buffer->shape[0]);
    if (mod == nullptr || mod->op != BinaryOp::kFloorMod || !count || as_int(mod->b) != count) return {};
    const LinearForm form = ring_form(widen_index(mod->a));
    if (!form.valid || form.terms.size() != 1 || form.terms[0].coefficient != 1) return {};
    const auto* cast = form.terms[0].atom.as<CastNode>();
    const ExprNode* var = cast == nullptr ? form.terms[0].atom.get() : cast->a.get();
    if (!is_loop_around(var)) return {};
    const auto ahead = static_cast<int64_t>(form.constant % *count);
    return {buffer.get(), var, (ahead + *count) % *count, *count};
  }

  bool is_loop_around(const ExprNode* var) const {
    return std::find(loops_.begin(), loops_.end(), var) != loops_.end();
  }

  void touch(const Expr& e, Touches& out) const {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* n = part.as<LoadNode>()) touch(n->buffer, n->indices, false, out);
    });
  }

  /// By the op alone.
  Touches own(const Op& op) const {
    Touches out;
    for_each_expr(op, [&](const Expr& e) { touch(e, out); });
    if (const auto* store = op.as<Store>()) touch(store->buffer, store->indices, true, out);
    for_each_region(op, [&](const RegionAccess& access) {
      touch(access.region->buffer, {}, access.role != FieldRole::kReads, out);
    });
    return out;
  }

  Touches all(const Op& op) const {
    Touches out = own(op);
    for_each_block(op, [&](std::string_view, const Block& nested) {
      for (const OpPtr& inner : nested) {
        for (const Touch& t : all(*inner)) tl::add(out, t);
      }
    });
    const auto* loop = op.as<For>();
    if (loop != nullptr && is_async(loop->hints)) {
      for (Touch& t : out) t.later = t.writes;
    }
    return out;
  }

  // --- the walk ------------------------------------------------------------------------------------------------------

  void block(const Block& ops, State& state) {
    for (const OpPtr& op : ops) statement(*op, state);
  }

  void statement(const Op& op, State& state) {
    if (const auto* barrier = op.as<Barrier>()) {
      if (barrier->count == 0) state.touched.clear();
      return;
    }
    if (const auto* wait = op.as<ThreadWait>()) return state.wait(wait->pending);
    if (op.kind == OpKind::kThreadReduce) return reduce(static_cast<const ThreadReduce&>(op), state);
    if (op.kind == OpKind::kContinue || op.kind == OpKind::kBreak) return leave_early(op, state);
    const auto* loop = op.as<For>();
    // Points of one parallel loop do not touch each other's elements.
    const bool points = loop != nullptr && loop->hints.count("independent") != 0;
    const bool nests = !points && (loop != nullptr || op.kind == OpKind::kIf || op.kind == OpKind::kWhile);
    const bool enters = nests && runs_uniformly(op) && (loop == nullptr || !is_free_of_barriers(*loop));
    const Touches now = enters ? own(op) : all(op);
    meet(op, now, state);
    state.add(now);
    if (!enters) return;
    if (const auto* branch = op.as<If>()) {
      State other = state;
      block(branch->then_body, state);
      block(branch->else_body, other);
      return state.join(other);
    }
    loop != nullptr ? iterate(*loop, state) : iterate(*op.as<While>(), now, state);
  }

  /// Whether nothing inside of the loop needs a barrier because of the loop itself. What came before it is then met by
  /// one barrier in front of it, not by one an iteration.
  bool is_free_of_barriers(const For& loop) {
    if (const auto it = free_.find(&loop); it != free_.end()) return it->second;
    bool free = true;
    visit_ops(loop.body, [&](const Op& op) {
      free = free && op.kind != OpKind::kBarrier && op.kind != OpKind::kThreadReduce && op.kind != OpKind::kThreadWait;
    });
    const size_t known = before_.size() + after_body_.size();
    State nothing;
    if (free) iterate(loop, nothing);
    return free_[&loop] = free && before_.size() + after_body_.size() == known;
  }

  /// One iteration. What ends it early misses the barriers behind.
  void body(const Block& ops, const Touches& asked, State& state) {
    Exits exits{asked, {}};
    Exits* const outer = std::exchange(exits_, &exits);
    block(ops, state);
    exits_ = outer;
    state.join(exits.state);
  }

  void leave_early(const Op& op, State& state) {
    if (op.kind == OpKind::kContinue) meet(op, exits_->asked, state);
    exits_->state.join(state);
  }

  /// What an iteration leaves may meet what a later one does, up to as many iterations away as there are versions.
  void iterate(const For& loop, State& state) {
    const bool by_ones = is_const_int(loop.step, 1);
    if (by_ones) loops_.push_back(loop.var.get());
    const State entered = state;
    for (int64_t round = 0; round < 2 + most_versions(loop); ++round) {
      body(loop.body, {}, state);
      state.next_iteration(loop);
      state.join(entered);
    }
    state.leave(loop);
    if (by_ones) loops_.pop_back();
  }

  /// The condition is asked again at the end of the body.
  void iterate(const While& loop, const Touches& condition, State& state) {
    const State entered = state;
    for (int round = 0; round < 2; ++round) {
      body(loop.body, condition, state);
      if (conflict(state.touched, condition)) {
        after_body_.insert(&loop);
        state.touched.clear();
        state.add(condition);
      }
      state.join(entered);
    }
  }

  /// Of one buffer, by the loop's variable; 0 where nothing has any.
  int64_t most_versions(const For& loop) const {
    int64_t most = 0;
    visit_ops(loop.body, [&](const Op& op) {
      for (const Touch& t : own(op)) {
        if (t.memory.version.loop == loop.var.get()) most = std::max(most, t.memory.version.count);
      }
    });
    return most;
  }

  /// All threads take the op's branches and iterations together.
  bool runs_uniformly(const Op& op) const {
    bool uniform = !uniformity_.in_differing_control(op);
    for_each_expr(op, [&](const Expr& e) { uniform = uniform && uniformity_.is_uniform(e); });
    if (!uniform) return false;
    // A thread that leaves the loop early misses what follows.
    const Block& body = op.kind == OpKind::kIf    ? op.as<If>()->then_body
                        : op.kind == OpKind::kFor ? op.as<For>()->body
                                                  : op.as<While>()->body;
    for (const OpPtr& inner : body) {
      if (uniformity_.in_differing_control(*inner)) return false;
    }
    return true;
  }

  void reduce(const ThreadReduce& op, State& state) {
    const Touches now = own(op);
    meet(op, now, state);
    // Its own barrier comes behind everything before it; what it still reads at the end is its scratch.
    if (op.scratch) state.touched.clear();
    for (const Touch& t : now) tl::add(state.touched, {t.memory, false});
  }

  void meet(const Op& op, const Touches& now, State& state) {
    if (before_.count(&op) != 0) {
      state.touched.clear();
    } else if (conflict(state.touched, now)) {
      before_.insert(&op);
      state.touched.clear();
    }
  }

  void insert(Block& ops) {
    Block out;
    for (OpPtr& op : ops) {
      for_each_block(*op, [&](std::string_view, Block& nested) { insert(nested); });
      if (after_body_.count(op.get()) != 0) op->as<While>()->body.push_back(make_op<Barrier>(op->loc));
      if (before_.count(op.get()) != 0) out.push_back(make_op<Barrier>(op->loc));
      out.push_back(std::move(op));
    }
    ops = std::move(out);
  }

  /// Of the innermost loop that is walked: what it asks before its next iteration, and what iterations that end early
  /// leave.
  struct Exits {
    const Touches& asked;
    State state;
  };

  const Uniformity uniformity_;
  const Aliases aliases_;
  Exits* exits_ = nullptr;
  std::unordered_map<const BufferNode*, Memory> shared_;
  std::unordered_set<const Op*> before_, after_body_;
  std::unordered_map<const For*, bool> free_;
  /// Variables of the loops around that count by 1.
  std::vector<const ExprNode*> loops_;
};

}  // namespace

void insert_barriers(Function& function, PassContext&) {
  visit_ops(function.body, [&](Op& op) {
    if (auto* launch = op.as<Launch>()) BarrierPlacement placement(*launch, function);
  });
}

}  // namespace tl
