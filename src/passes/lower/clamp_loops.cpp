// clamp-loops
//
// before:  parallel [%i: int32], [64] { if cast(int64, %bx) * 64 + cast(int64, %i) < 100 { store … } }
// after:   bind %i_end: int32, cast(int32, max(min(64, 100 - cast(int64, %bx) * 64), 0))
//          parallel [%i: int32], [%i_end] { store … }
//
// A condition is taken out of the loop when it bounds one variable from above, and nothing else in it varies in the
// loop.

#include "passes/lower/clamp_loops.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/linear.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/tile_match.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// `var < end`, in 64 bits.
struct UpperBound {
  size_t var;
  Expr end;
};

/// Reads `condition` as an upper bound of one of the loop's variables.
std::optional<UpperBound> as_upper_bound(const Expr& condition, const Parallel& loop, const Facts& facts) {
  const auto* n = condition.as<BinaryNode>();
  if (n == nullptr || !n->a.dtype().is_int() || !is_memory_free(condition)) return std::nullopt;
  Expr small = n->a, large = n->b;
  if (n->op == BinaryOp::kGt || n->op == BinaryOp::kGe) std::swap(small, large);
  const bool strict = n->op == BinaryOp::kLt || n->op == BinaryOp::kGt;
  if (!strict && n->op != BinaryOp::kLe && n->op != BinaryOp::kGe) return std::nullopt;
  // large - small - strict >= 0, as a sum.
  LinearForm room = exact_form(large, facts);
  room.add(exact_form(small, facts), -1);
  room.constant -= strict ? 1 : 0;
  if (!room.valid) return std::nullopt;
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    if (room.coefficient_of(loop.vars[v]) != -1) continue;
    LinearForm rest = room.without(loop.vars[v]);
    Expr end = make_int(DType::i64(), static_cast<int64_t>(rest.constant) + 1);
    for (const LinearTerm& term : rest.terms) {
      const auto in_term = [&](const Var& var) { return mentions(term.atom, var); };
      if (std::any_of(loop.vars.begin(), loop.vars.end(), in_term)) return std::nullopt;
      end = end + widen_index(term.atom) * make_int(DType::i64(), static_cast<int64_t>(term.coefficient));
    }
    return UpperBound{v, end};
  }
  return std::nullopt;
}

Block clamp(std::unique_ptr<Parallel> loop, Facts& facts) {
  Block out;
  auto* branch = loop->body.size() == 1 ? loop->body[0]->as<If>() : nullptr;
  if (branch == nullptr || !branch->else_body.empty()) {
    out.push_back(std::move(loop));
    return out;
  }
  std::vector<Expr> parts;
  split_conjunction(branch->condition, parts);
  Expr kept = make_bool(true);
  for (const Expr& part : parts) {
    const auto bound = as_upper_bound(part, *loop, facts);
    if (!bound) {
      kept = logical_and(kept, part);
      continue;
    }
    Expr& extent = loop->extents[bound->var];
    const Expr zero = make_int(DType::i64(), 0);
    auto bind = make_op<Bind>(loop->loc);
    bind->var = Var(loop->vars[bound->var].name() + "_end", extent.dtype());
    bind->value = cast(extent.dtype(), max(min(widen_index(extent), simplify(bound->end, facts)), zero));
    extent = bind->var;
    facts.add_bind(bind->var, bind->value);
    out.push_back(std::move(bind));
  }
  if (is_const_int(kept, 1)) {
    Block body = std::move(branch->then_body);
    loop->body = std::move(body);
  } else {
    branch->condition = kept;
  }
  out.push_back(std::move(loop));
  return out;
}

}  // namespace

void clamp_loops(Function& function, PassContext&) {
  Facts facts(function);
  rewrite_ops(function.body, facts, [](OpPtr op, Facts& here) {
    FactsScope scope(here);
    if (op->kind == OpKind::kParallel)
      return clamp(std::unique_ptr<Parallel>(static_cast<Parallel*>(op.release())), here);
    Block out;
    out.push_back(std::move(op));
    return out;
  });
}

}  // namespace tl
