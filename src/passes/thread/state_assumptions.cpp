// state-assumptions
//
// before:  func @f symbols [%m: int32, %n: int32, %s: int32] params [%A: global float32[%m, %n] strides [%n, %s]] { … }
// after:   func @f symbols [%m: int32, %n: int32] params [%A: global float32[%m, %n] strides [%n, 1]] {
//            assume floormod(%n, 4) == 0
//            assume cast(int64, %m) * cast(int64, %n) <= 2147418112:int64
//            …
//
// Passes find them among the facts of every statement behind; the driver makes a predicate of the same conditions.

#include "passes/thread/state_assumptions.h"

#include "ir/walk.h"

namespace tl {
namespace {

/// The variables that a condition gives a value to, by that value.
Substitution known_values(const std::vector<Expr>& conditions) {
  Substitution out;
  for (const Expr& condition : conditions) {
    const auto* n = condition.as<BinaryNode>();
    const bool named = n != nullptr && n->op == BinaryOp::kEq && n->a.kind() == ExprKind::kVar;
    if (named && n->b.kind() == ExprKind::kConst) out.vars.emplace(n->a.get(), n->b);
  }
  return out;
}

/// Puts values in the place of symbols, in shapes and strides of parameters too: no pass looks for them there.
void put_in_place(Function& function, Substitution& values) {
  for (Param& param : function.params) {
    auto* buffer = std::get_if<Buffer>(&param);
    if (buffer == nullptr) continue;
    std::vector<Expr> shape = (*buffer)->shape, strides = (*buffer)->strides;
    bool changed = false;
    for (std::vector<Expr>* sizes : {&shape, &strides}) {
      for (Expr& size : *sizes) {
        const Expr known = substitute(size, values);
        changed |= known.get() != size.get();
        size = known;
      }
    }
    if (!changed) continue;
    const Buffer old = *buffer;
    *buffer = make_buffer(old->name, old->dtype, std::move(shape), old->space, std::move(strides), old->loc);
    values.buffers.emplace(old.get(), *buffer);
  }
  std::erase_if(function.symbols, [&](const Var& symbol) { return values.vars.count(symbol.get()) != 0; });
  substitute(function.body, values);
}

}  // namespace

void state_assumptions(Function& function, PassContext& context) {
  Substitution values = known_values(context.assumptions);
  // Buffers are known by address there.
  const std::vector<Param> before = function.params;
  if (!values.empty()) put_in_place(function, values);
  Block out;
  for (const Expr& condition : context.assumptions) {
    auto assume = make_op<Assume>(function.loc);
    assume->condition = substitute(condition, values);
    if (is_const_int(assume->condition, 1)) continue;
    out.push_back(std::move(assume));
  }
  for (OpPtr& op : function.body) out.push_back(std::move(op));
  function.body = std::move(out);
}

}  // namespace tl
