// Before, and the same after:
//   parallel [%i: int32], [16] {
//     store %A, [0], %i
//   }
// with the warning
//   warning[TL122]: iterations of T.Parallel that differ only in `i` all write the same element of `A`, in no order
//
// What one statement shows, the builder refuses as it is written; the rest is looked at here, one rule a file.

#include "passes/tile/check_program.h"

#include "analysis/uniform.h"
#include "ir/walk.h"
#include "passes/tile/check_bounds.h"
#include "passes/tile/check_capacity.h"
#include "passes/tile/check_collectives.h"
#include "passes/tile/check_copies.h"
#include "passes/tile/check_cores.h"
#include "passes/tile/check_definedness.h"
#include "passes/tile/check_grid_barriers.h"
#include "passes/tile/check_points.h"

namespace tl {
namespace {

/// A `break` whose innermost loop is a parallel one.
void check_breaks(const Block& block, const Parallel* innermost, Diagnostics& diagnostics) {
  for (const OpPtr& op : block) {
    if (op->kind == OpKind::kBreak && innermost != nullptr) {
      Diagnostic& d = diagnostics.error(67, op->loc, "break inside T.Parallel: its iterations run in no order");
      d.notes.push_back({"the parallel loop is here", innermost->loc});
      d.help = "guard the body with `if`, or make the loop T.serial";
    }
    const Parallel* inside = innermost;
    if (op->kind == OpKind::kParallel) inside = static_cast<const Parallel*>(op.get());
    if (op->kind == OpKind::kFor || op->kind == OpKind::kWhile) inside = nullptr;
    for_each_block(std::as_const(*op),
                   [&](std::string_view, const Block& nested) { check_breaks(nested, inside, diagnostics); });
  }
}

}  // namespace

void check_program(Function& function, PassContext& context) {
  Diagnostics& diagnostics = context.diagnostics;
  check_breaks(function.body, nullptr, diagnostics);
  visit_ops(std::as_const(function.body), [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    if (launch != nullptr) {
      check_collectives(*launch, Uniformity(*launch), diagnostics);
      check_grid_barriers(*launch, context.target, diagnostics);
      check_cores(*launch, context.target, diagnostics);
    }
    const auto* loop = op.as<Parallel>();
    if (loop != nullptr) check_points(*loop, diagnostics);
  });
  check_copies(function, diagnostics);
  check_capacity(function, context.target, diagnostics);
  check_bounds(function, diagnostics);
  check_definedness(function, diagnostics);
}

}  // namespace tl
