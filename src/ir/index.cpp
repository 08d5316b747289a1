#include "ir/index.h"

namespace tl {

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
  if (const auto* n = e.as<CastNode>(); n != nullptr && n->a.dtype().is_int() && n->a.dtype().bits() <= e.dtype().bits()) {
    return widen_index(n->a);
  }
  return cast(wide, e);
}

}  // namespace tl
