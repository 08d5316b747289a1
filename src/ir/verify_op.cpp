#include "ir/verify_op.h"

#include <fmt/format.h>

#include "ir/ops.h"
#include "ir/walk.h"

namespace tl {
namespace {

using Problem = std::function<void(std::string)>;

/// False only when both are constants and differ.
bool may_equal(const Expr& a, const Expr& b) {
  const auto x = as_int(a), y = as_int(b);
  return !x || !y || *x == *y;
}

void match_tiles(const Region& a, const Region& b, std::string_view what, const Problem& problem) {
  const std::vector<Expr> x = tile_extents(a), y = tile_extents(b);
  bool equal = x.size() == y.size();
  for (size_t i = 0; equal && i < x.size(); ++i) equal = may_equal(x[i], y[i]);
  // A run-time extent may be 1, so only constant extents can be compared by rank.
  if (!equal && static_extents(a) && static_extents(b)) problem(fmt::format("{} regions of unequal extents", what));
}

void boolean(const Expr& e, std::string_view what, const Problem& problem) {
  if (!e || !e.dtype().is_bool()) problem(fmt::format("{} is not a bool", what));
}

void laws(const Launch& op, const Problem& problem) {
  if (op.grid.size() > 3 || op.blocks.size() != op.grid.size()) problem("launch of more than 3 dimensions or names");
  if (!op.lanes.empty() && op.lanes.size() != 3) problem("launch names 3 lanes or none");
  if (op.threads.size() > 3) problem("more than 3 thread extents");
}
void laws(const Group& op, const Problem& problem) {
  if (is_simt_region(op) && (op.first != 0 || op.count < 1))
    problem("a region of vector threads has threads 0 up to count");
}
void laws(const For& op, const Problem& problem) {
  const DType t = op.var.dtype();
  if (!t.is_integral()) problem("loop variable is not an integer");
  if (op.begin.dtype() != t || op.end.dtype() != t || op.step.dtype() != t) problem("loop bounds of another dtype");
  if (is_const_int(op.step, 0)) problem("loop step is zero");
}
void laws(const Parallel& op, const Problem& problem) {
  if (op.vars.empty() || op.vars.size() != op.extents.size()) problem("as many variables as extents, at least one");
}
void laws(const If& op, const Problem& problem) { boolean(op.condition, "condition", problem); }
void laws(const While& op, const Problem& problem) { boolean(op.condition, "condition", problem); }
void laws(const Assert& op, const Problem& problem) { boolean(op.condition, "condition", problem); }
void laws(const Assume& op, const Problem& problem) { boolean(op.condition, "condition", problem); }
void laws(const Bind& op, const Problem& problem) {
  if (op.var.dtype() != op.value.dtype()) problem("bind of another dtype");
}
void laws(const Alloc& op, const Problem& problem) {
  if (op.init && op.init.dtype() != op.buffer->dtype) problem("initial value of another dtype");
  if (!op.at) return;
  if (op.init || op.buffer->space != MemorySpace::kGlobal) problem("an address of something else than global memory");
  if (!op.at.dtype().is_handle() && !op.at.dtype().is_integral()) problem("the address is no pointer or integer");
}
void laws(const Store& op, const Problem& problem) {
  if (op.indices.size() != op.buffer->rank()) problem("another number of indices than the buffer's rank");
  if (op.value.dtype() != op.buffer->dtype) {
    problem(fmt::format("store of {} into {}", op.value.dtype().name(), op.buffer->dtype.name()));
  }
  for (const Expr& i : op.indices) {
    if (!i.dtype().is_integral()) problem("index is not an integer");
  }
}
void laws(const Copy& op, const Problem& problem) {
  Region dst = op.dst;
  if (transposes(op)) {
    if (dst.extents.size() < 2) return problem("transposing copy of rank < 2");
    std::swap(dst.extents[dst.extents.size() - 1], dst.extents[dst.extents.size() - 2]);
  }
  match_tiles(op.src, dst, "copy", problem);
  if (op.pad && op.pad.dtype() != op.src.buffer->dtype) problem("pad of another dtype than the source");
}
void laws(const AsyncCopy& op, const Problem& problem) { match_tiles(op.src, op.dst, "copy", problem); }
void laws(const Relayout& op, const Problem& problem) { match_tiles(op.src, op.dst, "relayout", problem); }
void laws(const Fill& op, const Problem& problem) {
  if (op.value.dtype() != op.dst.buffer->dtype) problem("fill with another dtype");
}
void laws(const Gemm& op, const Problem& problem) {
  const auto tail = [](const Region& r, size_t from_end) { return r.extents[r.extents.size() - from_end]; };
  if (op.a.extents.size() < 2 || op.b.extents.size() < 2 || op.c.extents.size() < 2)
    return problem("gemm operand of rank < 2");
  const size_t am = op.transpose_a ? 1 : 2, bk = op.transpose_b ? 1 : 2;
  if (!may_equal(tail(op.a, am), tail(op.c, 2))) problem("gemm: M differs");
  if (!may_equal(tail(op.b, 3 - bk), tail(op.c, 1))) problem("gemm: N differs");
  if (!may_equal(tail(op.a, 3 - am), tail(op.b, bk))) problem("gemm: K differs");
  boolean(op.clear, "clear", problem);
}
void laws(const Reduce& op, const Problem& problem) {
  const auto rank = static_cast<int64_t>(op.src.extents.size());
  if (op.dim < 0 || op.dim >= rank) problem("reduced dimension out of range");
}
void laws(const Scan& op, const Problem& problem) {
  const std::vector<Expr>&from = op.src.extents, &to = op.dst.extents;
  if (op.dim < 0 || op.dim >= static_cast<int64_t>(from.size())) problem("scanned dimension out of range");
  if (from.size() != to.size() || !std::equal(from.begin(), from.end(), to.begin(), may_equal)) {
    problem("a scan of one shape into another");
  }
  if (op.scan != ReduceKind::kSum && op.scan != ReduceKind::kMax && op.scan != ReduceKind::kMin) {
    problem("a scan is of sums, maxima or minima");
  }
  if (op.src.buffer == op.dst.buffer && !all_same(op.src.offsets, op.dst.offsets)) {
    problem("a scan into another part of its source");
  }
}
void laws(const ThreadReduce& op, const Problem& problem) {
  if (op.extent < 1 || op.stride < 1) problem("extent and stride of threads are at least 1");
  if (!is_per_thread(op.values.buffer->space)) problem("values are no array of a thread");
  if (op.scratch && !is_shared(op.scratch.buffer->space)) problem("scratch is not shared memory");
}
void laws(const Barrier& op, const Problem& problem) {
  if (op.grid && (op.id >= 0 || op.count != 0)) problem("a barrier of the grid is one of all threads");
}
void laws(const ThreadWait& op, const Problem& problem) {
  if (op.pending < 0) problem("a wait for fewer than no groups");
}
template <class T>
void laws(const T&, const Problem&) {}

}  // namespace

std::vector<Expr> tile_extents(const Region& region) {
  std::vector<Expr> out;
  for (const Expr& e : region.extents) {
    if (!is_const_int(e, 1)) out.push_back(e);
  }
  return out;
}

void verify_op(const Op& op, const Problem& problem) {
  visit(op, [&](const auto& typed) { laws(typed, problem); });
}

}  // namespace tl
