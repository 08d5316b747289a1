// insert-barriers
//
// before:  store %s, [%tx], %A[%tx]
//          store %B, [%tx], %s[127 - %tx]
// after:   store %s, [%tx], %A[%tx]
//          barrier
//          store %B, [%tx], %s[127 - %tx]
//
// One walk in program order keeps what has been touched since the last barrier. A loop's body is walked twice, the
// second time with what its end leaves; both sides of a branch start alike and their results join. A loop that writes
// no such memory needs one barrier in front of it at most.

#include "passes/thread/insert_barriers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analysis/accesses.h"
#include "analysis/uniform.h"
#include "ir/walk.h"
#include "passes/thread/allocate_shared.h"

namespace tl {
namespace {

/// Bytes of shared memory, or a tensor.
struct Memory {
  const BufferNode* tensor = nullptr;
  int64_t begin = 0, end = 0;

  bool meets(const Memory& other) const {
    return tensor == other.tensor && (tensor != nullptr || (begin < other.end && other.begin < end));
  }
};

struct Touch {
  Memory memory;
  bool writes;
};

using Touches = std::vector<Touch>;

void add(Touches& to, const Touch& touch) {
  for (Touch& t : to) {
    if (t.memory.tensor == touch.memory.tensor && t.memory.begin == touch.memory.begin &&
        t.memory.end == touch.memory.end) {
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

bool writes(const Touches& touches) {
  return std::any_of(touches.begin(), touches.end(), [](const Touch& t) { return t.writes; });
}

class BarrierPlacement {
 public:
  explicit BarrierPlacement(Launch& launch) : uniformity_(launch), aliases_(launch.body) {
    visit_ops(launch.body, [&](Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr || !is_shared(alloc->buffer->space)) return;
      const int64_t begin = std::get<int64_t>(alloc->hints.at("offset"));
      shared_[alloc->buffer.get()] = {nullptr, begin, begin + shared_size(*alloc->buffer)};
    });
    Touches touched;
    block(launch.body, touched);
    insert(launch.body);
  }

 private:
  // --- what a statement touches --------------------------------------------------------------------------------------

  void touch(const Buffer& buffer, bool writes, Touches& out) const {
    const Buffer root = aliases_.root(buffer);
    if (root->space == MemorySpace::kGlobal) {
      tl::add(out, {{root.get(), 0, 0}, writes});
    } else if (const auto it = shared_.find(root.get()); it != shared_.end()) {
      tl::add(out, {it->second, writes});
    }
  }

  void touch(const Expr& e, Touches& out) const {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* n = part.as<LoadNode>()) touch(n->buffer, false, out);
    });
  }

  /// By the op alone.
  Touches own(const Op& op) const {
    Touches out;
    for_each_expr(op, [&](const Expr& e) { touch(e, out); });
    if (const auto* store = op.as<Store>()) touch(store->buffer, true, out);
    for_each_region(
        op, [&](const RegionAccess& access) { touch(access.region->buffer, access.role != FieldRole::kReads, out); });
    return out;
  }

  Touches all(const Op& op) const {
    Touches out = own(op);
    for_each_block(op, [&](std::string_view, const Block& nested) {
      for (const OpPtr& inner : nested) {
        for (const Touch& t : all(*inner)) tl::add(out, t);
      }
    });
    return out;
  }

  // --- the walk ------------------------------------------------------------------------------------------------------

  void block(const Block& ops, Touches& touched) {
    for (const OpPtr& op : ops) statement(*op, touched);
  }

  void statement(const Op& op, Touches& touched) {
    if (const auto* barrier = op.as<Barrier>()) {
      if (barrier->count == 0) touched.clear();
      return;
    }
    if (op.kind == OpKind::kThreadReduce) return reduce(static_cast<const ThreadReduce&>(op), touched);
    const auto* loop = op.as<For>();
    // Points of one parallel loop do not touch each other's elements; nor do iterations that only read.
    const bool points = loop != nullptr && (loop->hints.count("independent") != 0 || !writes(all(op)));
    const bool nests = !points && (loop != nullptr || op.kind == OpKind::kIf || op.kind == OpKind::kWhile);
    if (!nests || !runs_uniformly(op)) {
      const Touches now = all(op);
      meet(op, now, touched);
      for (const Touch& t : now) tl::add(touched, t);
      return;
    }
    const Touches now = own(op);
    meet(op, now, touched);
    for (const Touch& t : now) tl::add(touched, t);
    if (const auto* branch = op.as<If>()) {
      Touches other = touched;
      block(branch->then_body, touched);
      block(branch->else_body, other);
      for (const Touch& t : other) tl::add(touched, t);
      return;
    }
    const Block& body = op.kind == OpKind::kFor ? op.as<For>()->body : op.as<While>()->body;
    const Touches entered = touched;
    for (int round = 0; round < 2; ++round) {
      block(body, touched);
      // The condition of a `while` is asked again at the end.
      if (conflict(touched, now) && !now.empty() && op.kind == OpKind::kWhile) {
        after_body_.insert(&op);
        touched.clear();
        for (const Touch& t : now) tl::add(touched, t);
      }
      for (const Touch& t : entered) tl::add(touched, t);
    }
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

  void reduce(const ThreadReduce& op, Touches& touched) {
    const Touches now = own(op);
    meet(op, now, touched);
    // Its own barrier comes behind everything before it; what it still reads at the end is its scratch.
    if (op.scratch) touched.clear();
    for (const Touch& t : now) tl::add(touched, {t.memory, false});
  }

  void meet(const Op& op, const Touches& now, Touches& touched) {
    if (before_.count(&op) != 0) {
      touched.clear();
    } else if (conflict(touched, now)) {
      before_.insert(&op);
      touched.clear();
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

  const Uniformity uniformity_;
  const Aliases aliases_;
  std::unordered_map<const BufferNode*, Memory> shared_;
  std::unordered_set<const Op*> before_, after_body_;
};

}  // namespace

void insert_barriers(Function& function, PassContext&) {
  visit_ops(function.body, [](Op& op) {
    if (auto* launch = op.as<Launch>()) BarrierPlacement placement(*launch);
  });
}

}  // namespace tl
