// Before:
//   for %k: int32, 0, 4, loop=pipelined, stages=2 {
//     async.copy %t: int32, src=%A[%k :+ 1, 0 :+ 8], dst=%s[0 :+ 1, 0 :+ 8]
//     wait [%t]
//     tile.copy src=%s[0 :+ 1, 0 :+ 8], dst=%B[%k :+ 1, 0 :+ 8]
//   }
// After:
//   for %k: int32, 0, 4 {
//     tile.copy src=%A[%k :+ 1, 0 :+ 8], dst=%s[0 :+ 1, 0 :+ 8]
//     tile.copy src=%s[0 :+ 1, 0 :+ 8], dst=%B[%k :+ 1, 0 :+ 8]
//   }
//
// A pipelined loop has the result of the serial loop by definition. An asynchronous copy may be done at once: its
// destination may not be touched, nor its source written, before the `wait`.

#include "passes/lower/serialize_pipelines.h"

#include <unordered_set>

#include "ir/walk.h"

namespace tl {
namespace {

using Tokens = std::unordered_set<const ExprNode*>;

bool uses_token(const Expr& e, const Tokens& tokens) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) { found |= tokens.count(part.get()) != 0; });
  return found;
}

/// What async copies define, and the names bound to it.
Tokens tokens_of(const Function& function) {
  Tokens tokens;
  visit_ops(function.body, [&](const Op& op) {
    if (const auto* copy = op.as<AsyncCopy>()) tokens.insert(copy->token.get());
    if (const auto* bind = op.as<Bind>(); bind != nullptr && uses_token(bind->value, tokens))
      tokens.insert(bind->var.get());
  });
  return tokens;
}

OpPtr synchronous(AsyncCopy& async) {
  auto copy = make_op<Copy>(async.loc);
  copy->src = std::move(async.src);
  copy->dst = std::move(async.dst);
  copy->pad = std::move(async.pad);
  copy->hints = std::move(async.hints);
  return copy;
}

void make_serial(For& loop) {
  if (loop.loop != LoopKind::kPipelined) return;
  loop.loop = LoopKind::kSerial;
  loop.stages = 0;
  loop.order.clear();
  loop.stage.clear();
}

}  // namespace

void serialize_pipelines(Function& function, PassContext&) {
  const Tokens tokens = tokens_of(function);
  rewrite_ops(function.body, [&](OpPtr op) {
    Block out;
    op->slot.reset();
    if (auto* loop = op->as<For>()) make_serial(*loop);
    const auto* bind = op->as<Bind>();
    if (op->kind == OpKind::kWait || (bind != nullptr && tokens.count(bind->var.get()) != 0)) return out;
    if (auto* async = op->as<AsyncCopy>()) op = synchronous(*async);
    out.push_back(std::move(op));
    return out;
  });
}

}  // namespace tl
