// Before:
//   launch [%bx: int32], [2], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[64, 1, 1] {
//     alloc %S: shared float32[64]
//     bind %i: int32, %bx * 64 + %tx
//     bind %x: float32, %A[%i]
//     store %S, [%tx], %x
//     barrier
//     store %B, [%i], %x + %S[63 - %tx]
//   }
// After:
//   launch [%bx: int32], [2], threads=[64, 1, 1] {
//     alloc %S: shared float32[64]
//     alloc %x: shared float32[64]
//     for %tx: int32, 0, 64 {
//       bind %i: int32, %bx * 64 + %tx
//       bind %x_1: float32, %A[%i]
//       store %x, [%tx], %x_1
//       store %S, [%tx], %x_1
//     }
//     for %tx_1: int32, 0, 64 {
//       bind %i_1: int32, %bx * 64 + %tx_1
//       bind %x_2: float32, %x[%tx_1]
//       store %B, [%i_1], %x_2 + %S[63 - %tx_1]
//     }
//   }
//
// Statements that are the same for all threads run once. The others run in loops over the threads, as many of them in
// one loop as stand next to each other without a barrier, a collective operation, or a conflict in memory that threads
// share between them: at such a point every thread is through with what stands before. Cutting there keeps the order of
// each thread's statements, so only what a thread remembers across the cut needs a place: cheap values are computed
// again, others, and buffers of the thread, get one entry a thread. Control flow that all threads take alike stays
// outside the loops over threads where it contains such a point, and goes inside where not.

#include "passes/lower/split_threads.h"

#include "ir/walk.h"
#include "passes/lower/split_threads_emit.h"
#include "passes/lower/split_threads_plan.h"
#include "passes/tile/check_collectives.h"

namespace tl {
namespace {

/// A lane that has one value is that value.
void settle_lanes(Launch& launch) {
  Substitution s;
  for (size_t d = 0; d < launch.lanes.size(); ++d) {
    const Var& lane = launch.lanes[d];
    if (lane_extent(launch, d) == 1) s.vars[lane.get()] = make_zero(lane.dtype());
  }
  substitute(launch.body, s);
}

bool has_thread_code(const Launch& launch) {
  bool found = false;
  visit_ops(launch.body, [&](const Op& op) {
    found |= op.kind == OpKind::kGroup;
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        for (const Var& lane : launch.lanes) found |= lane.get() == part.get();
      });
    });
  });
  return found;
}

/// Some machines let a part of the threads meet wherever they are; loops over threads do not.
void refuse_partial_barriers(const Launch& launch, const Uniformity& uniformity, Diagnostics& diagnostics) {
  visit_ops(launch.body, [&](const Op& op) {
    if (op.kind != OpKind::kBarrier || !uniformity.in_differing_control(op)) return;
    diagnostics
        .error(90, op.loc,
               "a barrier of some threads inside a branch or loop that depends on the thread cannot run on this target")
        .help = "move the barrier out of the branch or loop";
  });
}

void split(const Function& function, Launch& launch, Diagnostics& diagnostics) {
  const Uniformity uniformity(launch);
  check_collectives(launch, uniformity, diagnostics);
  if (!diagnostics.has_errors()) refuse_partial_barriers(launch, uniformity, diagnostics);
  if (diagnostics.has_errors()) return;
  const Aliases aliases(function);
  const ThreadAccesses accesses(function, launch, uniformity, aliases);
  SplitPlan plan = plan_split(launch, uniformity, accesses, aliases, diagnostics);
  if (!diagnostics.has_errors()) emit_split(launch, plan, aliases);
}

}  // namespace

void split_threads(Function& function, PassContext& context) {
  std::vector<Launch*> launches;
  visit_ops(function.body, [&](Op& op) {
    if (auto* launch = op.as<Launch>()) launches.push_back(launch);
  });
  for (Launch* launch : launches) {
    settle_lanes(*launch);
    if (has_thread_code(*launch)) split(function, *launch, context.diagnostics);
    rewrite_ops(launch->body, [](OpPtr op) {
      Block out;
      if (op->kind != OpKind::kBarrier) out.push_back(std::move(op));
      return out;
    });
  }
}

}  // namespace tl
