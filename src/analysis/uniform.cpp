#include "analysis/uniform.h"

#include <algorithm>
#include <unordered_map>

#include "ir/walk.h"

namespace tl {

/// Repeats a walk over the launch until nothing new differs: loops carry values of per-thread buffers around.
class UniformityBuilder {
 public:
  explicit UniformityBuilder(Uniformity& result) : result_(result) {}

  void run(const Launch& launch) {
    for (const int64_t extent : launch.threads) threads_ *= extent;
    for (size_t i = 0; i < launch.lanes.size(); ++i) {
      const int64_t threads = i < launch.threads.size() ? launch.threads[i] : 1;
      if (threads != 1) differ(launch.lanes[i]);
    }
    do {
      changed_ = false;
      walk(launch.body, false);
    } while (changed_);
  }

 private:
  void differ(const Var& var) {
    if (!result_.differing_vars_.insert(var.get()).second) return;
    result_.kept_vars_.push_back(var);
    changed_ = true;
  }
  void differ(const Buffer& buffer) {
    if (!result_.differing_buffers_.insert(buffer.get()).second) return;
    result_.kept_buffers_.push_back(buffer);
    changed_ = true;
  }
  void mark(std::unordered_set<const Op*>& set, const Op& op) { changed_ = set.insert(&op).second || changed_; }

  /// Whether the op's own expressions, and the per-thread buffers it names, differ.
  bool reads_differing(const Op& op) const {
    bool differs = false;
    for_each_expr(op, [&](const Expr& e) { differs = differs || !result_.is_uniform(e); });
    for_each_region(op, [&](const RegionAccess& access) {
      differs = differs || (access.role != FieldRole::kWrites && !result_.is_uniform(access.region->buffer));
    });
    return differs;
  }

  /// Whether the op gives a value to a buffer of which each thread has its own contents: then it runs for each.
  bool writes_differing(const Op& op) const {
    if (const auto* store = op.as<Store>()) return !result_.is_uniform(store->buffer);
    if (const auto* alloc = op.as<Alloc>()) return alloc->init && !result_.is_uniform(alloc->buffer);
    bool differs = false;
    for_each_region(op, [&](const RegionAccess& access) {
      differs = differs || (access.role != FieldRole::kReads && !result_.is_uniform(access.region->buffer));
    });
    return differs;
  }

  /// Per-thread buffers that the op writes differ from now on if what it writes, or whether it does, differs, or if
  /// only the threads of a group write.
  void write(const Op& op, bool differs) {
    const auto written = [&](const Buffer& buffer) {
      if (!is_per_thread(buffer->space)) return;
      if (differs || group_of_[buffer.get()] < groups_) differ(buffer);
    };
    if (const auto* store = op.as<Store>()) written(store->buffer);
    if (const auto* alloc = op.as<Alloc>()) {
      group_of_[alloc->buffer.get()] = groups_;
      if (alloc->init) written(alloc->buffer);
    }
    for_each_region(op, [&](const RegionAccess& access) {
      if (access.role != FieldRole::kReads) written(access.region->buffer);
    });
  }

  /// Views and what they view differ together.
  void alias(const View& view) {
    group_of_[view.buffer.get()] = group_of_[view.source.get()];
    if (!result_.is_uniform(view.buffer)) differ(view.source);
    if (!result_.is_uniform(view.source)) differ(view.buffer);
  }

  /// Returns whether the block, as a whole, does other things for one thread than for another. `apart`: only some
  /// threads get here.
  bool walk(const Block& block, bool apart) {
    bool block_differs = false;
    for (const OpPtr& op : block) {
      const bool op_differs = statement(*op, apart);
      block_differs = block_differs || op_differs;
      // Behind a jump that only some threads take, only the others go on.
      if (jumps_apart(*op)) apart = true;
    }
    return block_differs;
  }

  bool statement(const Op& op, bool apart) {
    if (apart) mark(result_.partly_reached_, op);
    bool differs = reads_differing(op);
    write(op, differs || apart);
    if (const auto* bind = op.as<Bind>(); bind != nullptr && differs) differ(bind->var);
    if (const auto* view = op.as<View>()) alias(*view);
    if (nested(op, apart || differs, differs) || writes_differing(op)) differs = true;
    if (differs) mark(result_.differing_ops_, op);
    return differs;
  }

  bool nested(const Op& op, bool apart, bool head_differs) {
    if (head_differs) for_each_definition(op, [&](const Var& v) { differ(v); }, [](const Buffer&) {});
    // A group of all threads is like none.
    const auto* group = op.as<Group>();
    const bool part = group != nullptr && (group->engine != "threads" || group->count < threads_);
    const int in_group = part ? 1 : 0;
    groups_ += in_group;
    bool differs = false;
    for_each_block(op, [&](std::string_view, const Block& body) {
      // A jump that only some threads take thins out the later iterations too, from their first statement on.
      const bool loops = op.kind == OpKind::kFor || op.kind == OpKind::kWhile;
      if (walk(body, apart || (loops && jumps_apart(body)))) differs = true;
    });
    groups_ -= in_group;
    return differs;
  }

  /// Whether the op is or contains a jump of the loop around it that only some threads reach, as far as known by now.
  bool jumps_apart(const Op& op) const {
    if (op.kind == OpKind::kBreak || op.kind == OpKind::kContinue) return result_.in_differing_control(op);
    if (op.kind != OpKind::kIf && op.kind != OpKind::kGroup) return false;
    bool found = false;
    for_each_block(op, [&](std::string_view, const Block& block) { found = found || jumps_apart(block); });
    return found;
  }
  bool jumps_apart(const Block& block) const {
    return std::any_of(block.begin(), block.end(), [&](const OpPtr& op) { return jumps_apart(*op); });
  }

  Uniformity& result_;
  int64_t threads_ = 1;
  /// Groups of a part of the threads around the present statement, and around the allocation of each per-thread buffer.
  int groups_ = 0;
  std::unordered_map<const BufferNode*, int> group_of_;
  bool changed_ = false;
};

Uniformity::Uniformity(const Launch& launch) { UniformityBuilder(*this).run(launch); }

bool Uniformity::is_uniform(const Expr& e) const {
  if (differing_vars_.count(e.get()) != 0) return false;
  if (const auto* n = e.as<LoadNode>(); n != nullptr && !is_uniform(n->buffer)) return false;
  bool uniform = true;
  for_each_operand(e, [&](const Expr& operand) { uniform = uniform && is_uniform(operand); });
  return uniform;
}

}  // namespace tl
