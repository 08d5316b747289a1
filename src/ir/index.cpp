#include "ir/index.h"

namespace tl {
namespace {

/// The expression of dtype `t` whose value as an index is that of the int64 `e`; null where there is none.
Expr narrowed(const Expr& e, DType t) {
  if (const auto value = as_int(e)) {
    const bool fits = *value >= integer_min(t) && *value <= static_cast<int64_t>(integer_max(t));
    return fits ? make_int(t, *value) : Expr();
  }
  if (const auto* n = e.as<CastNode>()) return n->a.dtype() == t ? n->a : Expr();
  if (const auto* n = e.as<BinaryNode>(); n != nullptr && !op_info(n->op).result_is_bool) {
    const Expr a = narrowed(n->a, t), b = narrowed(n->b, t);
    if (!a || !b || (a.kind() == ExprKind::kConst && b.kind() == ExprKind::kConst)) return Expr();
    const Expr out = binary(n->op, a, b);
    return same(widen_index(out), e) ? out : Expr();
  }
  return Expr();
}

}  // namespace

Expr map_index(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  Expr plain = f(e);
  if (plain.get() == e.get() || !e.dtype().is_int()) return plain;
  const Expr widened = widen_index(e);
  if (same(widened, e)) return plain;
  const Expr wide = f(widened);
  if (same(widen_index(plain), wide)) return plain;
  const Expr narrow = e.dtype() == DType::i64() ? wide : narrowed(wide, e.dtype());
  return narrow ? narrow : wide;
}

Expr widen_index(const Expr& e) {
  const DType wide = DType::i64();
  if (!e.dtype().is_int()) return cast(wide, e);
  if (const auto* n = e.as<BinaryNode>()) {
    switch (n->op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
      case BinaryOp::kMul:
      case BinaryOp::kFloorDiv:
      case BinaryOp::kFloorMod:
      case BinaryOp::kTruncDiv:
      case BinaryOp::kTruncMod:
      case BinaryOp::kMin:
      case BinaryOp::kMax:
        return binary(n->op, widen_index(n->a), widen_index(n->b));
      default:
        return cast(wide, e);
    }
  }
  if (const auto* n = e.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNeg) {
    return unary(UnaryOp::kNeg, widen_index(n->a));
  }
  if (const auto* n = e.as<SelectNode>()) return select(n->condition, widen_index(n->a), widen_index(n->b));
  if (const auto* n = e.as<CastNode>();
      n != nullptr && n->a.dtype().is_int() && n->a.dtype().bits() <= e.dtype().bits()) {
    return widen_index(n->a);
  }
  return cast(wide, e);
}

}  // namespace tl
