// pipeline-copies
//
// before:  alloc %s: shared float32[64]
//          for %k: int32, 0, %n, loop=pipelined, stages=3 {
//            tile.copy src=%A[%k * 64 :+ 64], dst=%s[0 :+ 64]
//            parallel [%i: int32], [64] { store %B, [%k * 64 + %i], %s[63 - %i] }
//          }
// after:   alloc %s: shared float32[3, 64]
//          for %p: int32, 0, 2, loop=unrolled {
//            if %p < %n { tile.copy src=%A[%p * 64 :+ 64], dst=%s[floormod(%p, 3) :+ 1, 0 :+ 64], hints={"async": true}
//            } thread.commit
//          }
//          for %k: int32, 0, %n {
//            thread.wait 1
//            barrier
//            if %k + 2 < %n {
//              tile.copy src=%A[(%k + 2) * 64 :+ 64], dst=%s[floormod(%k + 2, 3) :+ 1, 0 :+ 64], hints={"async": true}
//            }
//            thread.commit
//            parallel [%i: int32], [64] { store %B, [%k * 64 + %i], %s[floormod(%k, 3), 63 - %i] }
//          }
//
// One barrier an iteration does two things: all threads see what each has waited for, and all have left the version
// that the next copies write, which is the one of the iteration before.

#include "passes/thread/pipeline_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/scope.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/pipelined_tiles.h"

namespace tl {
namespace {

/// A tile and its versions.
using Versions = std::unordered_map<const BufferNode*, Buffer>;

/// One loop on its way to a pipeline of `stages` versions of each tile.
class LoopPipeline {
 public:
  LoopPipeline(std::unique_ptr<For> loop, const PipelinedTiles& tiles, int64_t stages)
      : loop_(std::move(loop)), type_(loop_->var.dtype()), stages_(stages) {
    for (const Copy* copy : tiles.copies) add(copy->dst.buffer);
    take_copies(tiles);
  }

  Block run() {
    Block out = std::move(allocs_);
    out.push_back(prologue());
    Block body;
    auto wait = make_op<ThreadWait>(loop_->loc);
    wait->pending = stages_ - 2;
    body.push_back(std::move(wait));
    body.push_back(make_op<Barrier>(loop_->loc));
    body.push_back(start(loop_->var + make_int(type_, stages_ - 1),
                         widen_index(loop_->var) + make_int(DType::i64(), stages_ - 1)));
    body.push_back(make_op<ThreadCommit>(loop_->loc));
    visit_ops(loop_->body, [&](Op& op) { use_version(op); });
    for (OpPtr& op : loop_->body) body.push_back(std::move(op));
    loop_->body = std::move(body);
    loop_->loop = LoopKind::kSerial;
    loop_->stages = 0;
    out.push_back(std::move(loop_));
    return out;
  }

 private:
  void add(const Buffer& tile) {
    std::vector<Expr> shape = {Expr(static_cast<int>(stages_))};
    shape.insert(shape.end(), tile->shape.begin(), tile->shape.end());
    auto alloc = make_op<Alloc>(loop_->loc);
    alloc->buffer = make_buffer(tile->name, tile->dtype, std::move(shape), tile->space, {}, tile->loc);
    versions_[tile.get()] = alloc->buffer;
    allocs_.push_back(std::move(alloc));
  }

  void take_copies(const PipelinedTiles& tiles) {
    Block rest;
    for (OpPtr& op : loop_->body) {
      const bool taken = std::find(tiles.copies.begin(), tiles.copies.end(), op.get()) != tiles.copies.end();
      (taken ? copies_ : rest).push_back(std::move(op));
    }
    loop_->body = std::move(rest);
  }

  Expr version(const Expr& iteration) const { return floormod(iteration, make_int(type_, stages_)); }

  Region of_version(const Region& region, const Expr& iteration) const {
    Region out = region;
    out.buffer = versions_.at(region.buffer.get());
    out.offsets.insert(out.offsets.begin(), version(iteration));
    out.extents.insert(out.extents.begin(), make_int(type_, 1));
    return out;
  }

  /// Starts the copies of an iteration where there is one; `wide` is its number, which does not wrap.
  OpPtr start(const Expr& iteration, const Expr& wide) const {
    auto branch = make_op<If>(loop_->loc);
    branch->condition = wide < widen_index(loop_->end);
    branch->then_body = clone(copies_);
    Substitution s;
    s.vars[loop_->var.get()] = iteration;
    for (OpPtr& op : branch->then_body) {
      auto& copy = *op->as<Copy>();
      substitute(copy, s);
      copy.dst = of_version(copy.dst, iteration);
      copy.hints[kAsyncHint] = true;
    }
    return branch;
  }

  OpPtr prologue() const {
    auto first = make_op<For>(loop_->loc);
    first->var = Var(loop_->var.name(), type_);
    first->begin = loop_->begin;
    first->end = loop_->begin + make_int(type_, stages_ - 1);
    first->step = make_int(type_, 1);
    first->loop = LoopKind::kUnrolled;
    first->body.push_back(start(first->var, widen_index(first->var)));
    first->body.push_back(make_op<ThreadCommit>(loop_->loc));
    return first;
  }

  void use_version(Op& op) const {
    map_exprs(op, [&](const Expr& e) { return with_version(e); });
    const auto change = [&](Region& region) {
      if (versions_.count(region.buffer.get()) != 0) region = of_version(region, loop_->var);
    };
    if (auto* copy = op.as<Copy>()) change(copy->src);
    if (auto* gemm = op.as<Gemm>()) {
      change(gemm->a);
      change(gemm->b);
    }
  }

  Expr with_version(const Expr& e) const {
    const Expr inner = map_operands(e, [&](const Expr& operand) { return with_version(operand); });
    const auto* n = inner.as<LoadNode>();
    const auto it = n == nullptr ? versions_.end() : versions_.find(n->buffer.get());
    if (it == versions_.end()) return inner;
    std::vector<Expr> indices = n->indices;
    indices.insert(indices.begin(), version(loop_->var));
    return load(it->second, std::move(indices));
  }

  std::unique_ptr<For> loop_;
  const DType type_;
  const int64_t stages_;
  Versions versions_;
  Block allocs_, copies_;
};

/// Shared memory of a launch for versions of tiles.
class SharedBudget {
 public:
  SharedBudget(const Launch& launch, const Target& target) : left_(target.max_shared) {
    bool reduces = false;
    std::unordered_map<const BufferNode*, bool> accumulates;
    visit_ops(launch.body, [&](const Op& op) {
      reduces |= op.kind == OpKind::kReduce;
      note_fragments(op, accumulates);
    });
    visit_ops(launch.body, [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr) return;
      const auto it = accumulates.find(alloc->buffer.get());
      // A fragment that a thread's registers cannot serve moves to shared memory.
      const bool may_move = alloc->buffer->space == MemorySpace::kFragment && it != accumulates.end() && !it->second;
      if (is_shared(alloc->buffer->space) || may_move) left_ -= most_bytes(alloc->buffer);
    });
    if (reduces) left_ -= target.max_shared / kReductionShare;
  }

  /// The most versions, up to `wanted`, that fit; takes them.
  int64_t stages(const PipelinedTiles& tiles, int64_t wanted) {
    int64_t bytes = 0;
    for (const Copy* copy : tiles.copies) bytes += most_bytes(copy->dst.buffer);
    while (wanted > 1 && (wanted - 1) * bytes > left_) --wanted;
    left_ -= (wanted - 1) * bytes;
    return wanted;
  }

 private:
  static constexpr int64_t kAlignment = 128, kLongestGap = 16;
  /// One part in so many is left for the scratch of reductions over threads.
  static constexpr int64_t kReductionShare = 8;

  /// With rows that are lengthened against conflicts of banks, and placed.
  static int64_t most_bytes(const Buffer& buffer) {
    const auto shape = static_shape(*buffer);
    const int64_t rows = shape && !shape->empty() && shape->back() > 0 ? elements_of(*shape) / shape->back() : 1;
    return (bytes_of(buffer) + rows * kLongestGap + kAlignment - 1) / kAlignment * kAlignment;
  }

  static int64_t elements_of(const std::vector<int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  }

  /// Whether a fragment is used by nothing but gemms that add to it, fills, and copies from or to other memory, all of
  /// which take registers as they lie.
  static void note_fragments(const Op& op, std::unordered_map<const BufferNode*, bool>& accumulates) {
    const auto note = [&](const Buffer& buffer, bool good) {
      const auto [it, is_new] = accumulates.try_emplace(buffer.get(), true);
      it->second = it->second && good;
    };
    const auto* copy = op.as<Copy>();
    const bool plain =
        op.kind == OpKind::kFill || (copy != nullptr && copy->src.buffer->space != copy->dst.buffer->space);
    for_each_region(op, [&](const RegionAccess& access) {
      note(access.region->buffer, plain || (op.kind == OpKind::kGemm && access.field == "c"));
    });
    if (const auto* store = op.as<Store>()) note(store->buffer, false);
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (const auto* n = part.as<LoadNode>()) note(n->buffer, false);
      });
    });
  }

  int64_t left_;
};

int64_t most_useful(const For& loop) {
  const auto begin = as_int(loop.begin), end = as_int(loop.end);
  if (!begin || !end) return loop.stages;
  return std::min<int64_t>(loop.stages, std::max<int64_t>(*end - *begin, 0));
}

void pipeline_launch(Launch& launch, PassContext& context) {
  SharedBudget budget(launch, context.target);
  const std::vector<PipelinedTiles> loops = pipelined_tiles(launch);
  std::unordered_map<const Op*, int64_t> stages;
  std::unordered_map<const BufferNode*, bool> replaced;
  for (const PipelinedTiles& tiles : loops) {
    const int64_t wanted = most_useful(*tiles.loop);
    const int64_t taken = wanted < 2 ? 1 : budget.stages(tiles, wanted);
    stages[tiles.loop] = taken;
    for (const Copy* copy : tiles.copies) {
      const auto [it, is_new] = replaced.try_emplace(copy->dst.buffer.get(), true);
      it->second = it->second && taken > 1;
    }
    if (taken == wanted) continue;
    Diagnostic& note = context.diagnostics.warning(
        0, tiles.loop->loc,
        fmt::format("this loop keeps {} of {} stages: more do not fit into the {} bytes of shared memory of {}", taken,
                    wanted, context.target.max_shared, context.target.name));
    note.severity = Severity::kNote;
  }
  rewrite_ops(launch.body, [&](OpPtr op) {
    const auto* alloc = op->as<Alloc>();
    if (alloc != nullptr && replaced.count(alloc->buffer.get()) != 0 && replaced.at(alloc->buffer.get())) {
      return Block();
    }
    const auto it = stages.find(op.get());
    if (it == stages.end() || it->second < 2) return one_op(std::move(op));
    const auto tiles =
        std::find_if(loops.begin(), loops.end(), [&](const PipelinedTiles& t) { return t.loop == op.get(); });
    return LoopPipeline(std::unique_ptr<For>(op.release()->as<For>()), *tiles, it->second).run();
  });
}

}  // namespace

void pipeline_copies(Function& function, PassContext& context) {
  if (!context.target.async_copies) return;
  visit_ops(function.body, [&](Op& op) {
    if (auto* launch = op.as<Launch>()) pipeline_launch(*launch, context);
  });
}

}  // namespace tl
