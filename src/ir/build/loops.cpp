#include <fmt/format.h>

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[Tilelang Semantic Check] ";

}  // namespace

Var Builder::loop(const std::string& name, const Operand& begin, const Operand& end, const Operand& step, LoopKind kind,
                  LoopOptions options) {
  auto op = make<For>();
  Expr bounds[3] = {0, 0, 1};
  const std::pair<const Operand*, const char*> written[] = {
      {&begin, "the start of the loop"}, {&end, "the end of the loop"}, {&step, "the step of the loop"}};
  DType dtype = DType::i32();
  for (size_t i = 0; i < 3; ++i) {
    attempt([&] { bounds[i] = promote::index(*written[i].first, 66, written[i].second); });
    dtype = *promote::common_dtype(dtype, bounds[i].dtype());
  }
  if (is_const_int(bounds[2], 0)) {
    error(65, "step must be non-zero").help = "use a positive step to count up, a negative one to count down";
    bounds[2] = 1;
  }
  if (!as_int(bounds[2]))
    diagnostics_.warning(65, here_, fmt::format("Non-constant step {} of loop `{}`", python_text(bounds[2]), name));
  if (const Parallel* outer = enclosing<Parallel>(); outer != nullptr && kind == LoopKind::kPipelined) {
    Diagnostic& d = error(61, fmt::format("{}Pipelined loop cannot be nested inside a parallel loop", kCheck));
    d.notes.push_back({"the parallel loop is here", outer->loc});
    d.help = "put the T.Parallel loop into the T.Pipelined loop";
  }
  op->begin = cast(dtype, bounds[0]);
  op->end = cast(dtype, bounds[1]);
  op->step = cast(dtype, bounds[2]);
  op->loop = kind;
  op->stages = kind == LoopKind::kPipelined ? std::max<int64_t>(options.stages, 0) : 0;
  op->order = std::move(options.order);
  op->stage = std::move(options.stage);
  op->hints = std::move(options.hints);
  const uint8_t dependence = scope_.dependence(op->begin) | scope_.dependence(op->end);
  For& loop = *op;
  Block* body = &op->body;
  open(std::move(op), body);
  loop.var = new_var(name, dtype, dependence);
  return loop.var;
}

std::vector<Var> Builder::parallel(const std::vector<std::string>& names, const std::vector<Operand>& extents,
                                   Attrs hints) {
  auto op = make<Parallel>();
  if (extents.empty()) {
    error(68, "T.Parallel has no extents").help = "give one extent a loop variable: `for i, j in T.Parallel(M, N):`";
    fail();
  }
  need_launch("T.Parallel");
  check_in_region("T.Parallel");
  for (const Operand& extent : extents) {
    Expr e = 1;
    attempt([&] { e = promote::index(extent, 66, fmt::format("extent {} of T.Parallel", op->extents.size())); });
    op->extents.push_back(e);
  }
  op->hints = std::move(hints);
  const Parallel* outer = enclosing<Parallel>();
  if (outer != nullptr && (innermost<Parallel>() == nullptr || !outer->body.empty())) {
    Diagnostic& d = error(
        60, fmt::format("{}Nested parallel loops are not allowed unless one directly contains the other", kCheck));
    d.notes.push_back({"the outer parallel loop is here", outer->loc});
    d.help = "write one loop over both: `for i, j in T.Parallel(M, N):`, or make the inner one T.serial";
  }
  Parallel& loop = *op;
  Block* body = &op->body;
  open(std::move(op), body);
  for (size_t i = 0; i < loop.extents.size(); ++i) {
    const uint8_t dependence = Scope::kOnParallel | (as_int(loop.extents[i]) ? 0 : Scope::kOnRuntimeParallel);
    loop.vars.push_back(new_var(i < names.size() ? names[i] : "i", loop.extents[i].dtype(), dependence));
  }
  return loop.vars;
}

/// A parallel loop whose whole body is another one becomes one loop over the box of both.
void Builder::close_parallel(Parallel& outer) {
  const auto inner_at =
      std::find_if(outer.body.begin(), outer.body.end(), [](const OpPtr& op) { return op->as<Parallel>() != nullptr; });
  if (inner_at == outer.body.end()) return;
  Parallel& inner = *(*inner_at)->as<Parallel>();
  bool depends = false;
  for (const Expr& extent : inner.extents) {
    visit_exprs(extent, [&](const Expr& part) {
      depends |= std::any_of(outer.vars.begin(), outer.vars.end(), [&](const Var& v) { return v.get() == part.get(); });
    });
  }
  if (depends || (outer.body.size() > 1 && inner_at == outer.body.begin())) {
    Diagnostic& d = diagnostics_.error(
        60, inner.loc,
        fmt::format("{}Nested parallel loops are not allowed{}", kCheck,
                    depends ? ": the extent of the inner one depends on the outer one" : " beside other statements"));
    d.notes.push_back({"the outer parallel loop is here", outer.loc});
    d.help = depends ? "run the inner loop over its largest extent and guard the body: `if j < i:`"
                     : "give the other statements a loop of their own";
  }
  if (depends || outer.body.size() > 1) return;
  const OpPtr taken = std::move(outer.body.front());
  outer.body.clear();
  outer.vars.insert(outer.vars.end(), inner.vars.begin(), inner.vars.end());
  outer.extents.insert(outer.extents.end(), inner.extents.begin(), inner.extents.end());
  outer.hints.merge(inner.hints);
  outer.body = std::move(inner.body);
}

void Builder::close_pipelined(const For& loop) {
  if (loop.order.empty() && loop.stage.empty()) return;
  const auto statements = static_cast<size_t>(
      std::count_if(loop.body.begin(), loop.body.end(), [](const OpPtr& op) { return op->as<Bind>() == nullptr; }));
  if (loop.order.size() == statements && loop.stage.size() == statements) return;
  Diagnostic& d = diagnostics_.error(
      77, loop.loc,
      fmt::format(
          "T.Pipelined: expected pipeline annotation size {}, one entry a statement of the body, but order has {} and "
          "stage has {}",
          statements, loop.order.size(), loop.stage.size()));
  d.help = "statements that only bind a name are not counted";
}

}  // namespace tl
