// guard-accesses
//
// before:  parallel [%i: int32], [64] { store %C, [%bx * 64 + %i], %A[%bx * 64 + %i] + 1.0:float32 }     # of 100
// elements after:   parallel [%i: int32], [64] {
//            if cast(int64, %bx) * 64 + cast(int64, %i) < 100 { store %C, [%bx * 64 + %i], %A[%bx * 64 + %i]
//            + 1.0:float32 }
//          }
//
// Indices do not wrap, so conditions on them are made in 64 bits. The condition of a store is known to hold where its
// value is computed: loads at the same place need none of their own.

#include "passes/lower/guard_accesses.h"

#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/tile_match.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// What is not proven of "all indices are inside the buffer"; the constant true when all is.
Expr unproven(const BufferNode& buffer, const std::vector<Expr>& indices, const Facts& facts) {
  Expr condition = make_bool(true);
  const auto need = [&](const Expr& part) {
    const Expr simple = simplify(part, facts);
    if (!holds(simple, facts)) condition = logical_and(condition, simple);
  };
  for (size_t i = 0; i < indices.size(); ++i) {
    const Expr index = widen_index(indices[i]);
    need(make_int(DType::i64(), 0) <= index);
    need(index < widen_index(buffer.shape[i]));
  }
  return condition;
}

Expr guarded(const Expr& e, Facts& facts) {
  if (const auto* n = e.as<SelectNode>()) {
    const Expr condition = guarded(n->condition, facts);
    Expr a, b;
    {
      FactsScope scope(facts);
      facts.add(condition);
      a = guarded(n->a, facts);
    }
    {
      FactsScope scope(facts);
      facts.add_negation(condition);
      b = guarded(n->b, facts);
    }
    return select(condition, a, b);
  }
  const Expr inner = map_operands(e, [&](const Expr& operand) { return guarded(operand, facts); });
  const auto* n = inner.as<LoadNode>();
  if (n == nullptr) return inner;
  const Expr inside = unproven(*n->buffer, n->indices, facts);
  return is_const_int(inside, 1) ? inner : select(inside, inner, make_zero(inner.dtype()));
}

Block guard_store(std::unique_ptr<Store> store, Facts& facts) {
  for (Expr& index : store->indices) index = guarded(index, facts);
  const Expr inside = unproven(*store->buffer, store->indices, facts);
  FactsScope scope(facts);
  facts.add(inside);
  store->value = guarded(store->value, facts);
  Block out;
  if (is_const_int(inside, 1)) {
    out.push_back(std::move(store));
    return out;
  }
  auto branch = make_op<If>(store->loc);
  branch->condition = inside;
  branch->then_body.push_back(std::move(store));
  out.push_back(std::move(branch));
  return out;
}

}  // namespace

void guard_accesses(Function& function, PassContext& context) {
  if (config_flag(context, "tl.disable_safe_memory_legalize")) return;
  Facts facts(function);
  rewrite_ops(function.body, facts, [](OpPtr op, Facts& here) {
    if (op->kind == OpKind::kStore) return guard_store(std::unique_ptr<Store>(static_cast<Store*>(op.release())), here);
    map_exprs(*op, [&](const Expr& e) { return guarded(e, here); });
    Block out;
    out.push_back(std::move(op));
    return out;
  });
}

}  // namespace tl
