#include "passes/thread/pipelined_tiles.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/accesses.h"
#include "analysis/uniform.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// How often each buffer is named.
using Uses = std::unordered_map<const BufferNode*, int64_t>;

void count_uses(const Op& op, Uses& uses) {
  for_each_expr(op, [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* n = part.as<LoadNode>()) ++uses[n->buffer.get()];
    });
  });
  for_each_region(op, [&](const RegionAccess& access) { ++uses[access.region->buffer.get()]; });
  if (const auto* store = op.as<Store>()) ++uses[store->buffer.get()];
  if (const auto* view = op.as<View>()) {
    ++uses[view->source.get()];
    ++uses[view->buffer.get()];
  }
}

Uses uses_below(const Block& block) {
  Uses out;
  visit_ops(block, [&](const Op& op) { count_uses(op, out); });
  return out;
}

Uses uses_below(const Op& op) {
  Uses out;
  count_uses(op, out);
  for_each_block(op, [&](std::string_view, const Block& nested) {
    for (const auto& [buffer, count] : uses_below(nested)) out[buffer] += count;
  });
  return out;
}

/// Uses of the tile that can name one version of it: loads of elements, and reading operands of copies and gemms.
int64_t versioned_uses(const Block& block, const Buffer& tile) {
  int64_t count = 0;
  visit_ops(block, [&](const Op& op) {
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (const auto* n = part.as<LoadNode>()) count += n->buffer == tile ? 1 : 0;
      });
    });
    if (const auto* copy = op.as<Copy>()) count += copy->src.buffer == tile ? 1 : 0;
    if (const auto* gemm = op.as<Gemm>()) {
      count += (gemm->a.buffer == tile ? 1 : 0) + (gemm->b.buffer == tile ? 1 : 0);
    }
  });
  return count;
}

class LoopsOfLaunch {
 public:
  explicit LoopsOfLaunch(const Launch& launch) : aliases_(launch.body), uniformity_(launch) {
    visit_ops(launch.body, [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc != nullptr && !alloc->init && alloc->hints.empty()) allocated_.insert(alloc->buffer.get());
    });
    walk(launch.body);
    keep_private(uses_below(launch.body));
  }

  std::vector<PipelinedTiles> take() { return std::move(loops_); }

 private:
  void walk(const Block& block) {
    for (const OpPtr& op : block) {
      if (op->kind == OpKind::kGroup) continue;
      if (const auto* loop = op->as<For>(); loop != nullptr && overlaps(*loop)) collect(*loop);
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { walk(nested); });
    }
  }

  /// Whether iterations of the loop may overlap: all threads run it together, and it ends where its bounds say.
  bool overlaps(const For& loop) const {
    if (loop.loop != LoopKind::kPipelined || loop.stages < 2 || !loop.order.empty() || !loop.stage.empty()) {
      return false;
    }
    if (!is_const_int(loop.step, 1) || !is_fixed(loop.begin) || !is_fixed(loop.end)) return false;
    bool straight = uniformity_.is_uniform(loop.begin) && uniformity_.is_uniform(loop.end) &&
                    !uniformity_.in_differing_control(loop) && !has_unknown_effects(loop);
    visit_ops(loop.body, [&](const Op& op) {
      straight = straight && op.kind != OpKind::kBreak && op.kind != OpKind::kContinue &&
                 op.kind != OpKind::kAsyncCopy && op.kind != OpKind::kGroup && !is_grid_barrier(op);
      for_each_expr(op, [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& part) {
          const auto* call = part.as<CallNode>();
          straight = straight && (call == nullptr || call->intrinsic->effect == Effect::kPure);
        });
      });
    });
    return straight;
  }

  /// Whether the value is the same wherever it is evaluated.
  static bool is_fixed(const Expr& e) {
    bool fixed = true;
    visit_exprs(e, [&](const Expr& part) {
      const auto* call = part.as<CallNode>();
      fixed = fixed && part.kind() != ExprKind::kLoad && (call == nullptr || call->intrinsic->effect == Effect::kPure);
    });
    return fixed;
  }

  void collect(const For& loop) {
    std::unordered_set<const ExprNode*> inner;
    std::unordered_set<const BufferNode*> written;
    visit_ops(loop.body, [&](const Op& op) {
      for_each_definition(op, [&](const Var& v) { inner.insert(v.get()); }, [](const Buffer&) {});
      if (const auto* store = op.as<Store>()) written.insert(aliases_.root(store->buffer).get());
      for_each_region(op, [&](const RegionAccess& access) {
        const auto* copy = op.as<Copy>();
        if (access.role == FieldRole::kReads || (copy != nullptr && is_candidate(*copy))) return;
        written.insert(aliases_.root(access.region->buffer).get());
      });
    });
    PipelinedTiles out{&loop, {}};
    Uses before;
    for (const OpPtr& op : loop.body) {
      const auto* copy = op->as<Copy>();
      if (copy != nullptr && is_candidate(*copy) && before.count(copy->dst.buffer.get()) == 0 &&
          written.count(copy->dst.buffer.get()) == 0 && written.count(aliases_.root(copy->src.buffer).get()) == 0 &&
          is_known_ahead(*copy, inner)) {
        out.copies.push_back(copy);
      }
      for (const auto& [buffer, count] : uses_below(*op)) before[buffer] += count;
    }
    const Uses all = uses_below(loop.body);
    std::erase_if(out.copies, [&](const Copy* copy) {
      // One use is the copy's own.
      return versioned_uses(loop.body, copy->dst.buffer) + 1 != all.at(copy->dst.buffer.get());
    });
    if (!out.copies.empty()) loops_.push_back(std::move(out));
  }

  /// A copy of global memory to all of a plain shared tile, as it is.
  bool is_candidate(const Copy& copy) const {
    const Buffer& tile = copy.dst.buffer;
    return uniformity_.is_uniform(copy) && copy.prefer != CopyPreference::kSync &&
           copy.src.buffer->space == MemorySpace::kGlobal && is_shared(tile->space) &&
           allocated_.count(tile.get()) != 0 && copy.src.buffer->dtype == tile->dtype &&
           tile->dtype.storage_bits() % 8 == 0 && tile->is_contiguous() && static_shape(*tile) &&
           same(copy.dst, whole(tile));
  }

  /// Whether source and padding are known before the iteration starts.
  static bool is_known_ahead(const Copy& copy, const std::unordered_set<const ExprNode*>& inner) {
    bool known = true;
    for_each_expr(copy, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        known = known && part.kind() != ExprKind::kLoad && inner.count(part.get()) == 0;
      });
    });
    return known;
  }

  /// Drops tiles that anything but these loops uses.
  void keep_private(const Uses& everywhere) {
    Uses in_loops;
    for (const PipelinedTiles& tiles : loops_) {
      const Uses here = uses_below(tiles.loop->body);
      for (const Copy* copy : tiles.copies) in_loops[copy->dst.buffer.get()] += here.at(copy->dst.buffer.get());
    }
    for (PipelinedTiles& tiles : loops_) {
      std::erase_if(tiles.copies, [&](const Copy* copy) {
        const BufferNode* tile = copy->dst.buffer.get();
        return in_loops.at(tile) != everywhere.at(tile);
      });
    }
    std::erase_if(loops_, [](const PipelinedTiles& tiles) { return tiles.copies.empty(); });
  }

  const Aliases aliases_;
  const Uniformity uniformity_;
  std::unordered_set<const BufferNode*> allocated_;
  std::vector<PipelinedTiles> loops_;
};

}  // namespace

std::vector<PipelinedTiles> pipelined_tiles(const Launch& launch) { return LoopsOfLaunch(launch).take(); }

int64_t bytes_of(const Buffer& buffer) {
  const auto shape = static_shape(*buffer);
  int64_t bits = shape ? buffer->dtype.storage_bits() : 0;
  for (size_t d = 0; shape && d < shape->size(); ++d) bits *= (*shape)[d];
  return (bits + 7) / 8;
}

}  // namespace tl
