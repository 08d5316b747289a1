#include "backend/cuda/light_kernel.h"

#include "ir/walk.h"

namespace tl {
namespace {

/// At this many operations an element of 4 bytes, a machine of 60 TFLOP/s and 4 TB/s still waits for memory.
constexpr int kFewOperations = 8;

/// Operations on elements; indices are not counted. Calls and divisions count as many.
int operations(const Expr& e) {
  if (e.kind() == ExprKind::kLoad) return 0;
  int out = 0;
  if (e.kind() == ExprKind::kCall) out = kFewOperations + 1;
  if (e.kind() == ExprKind::kUnary || e.kind() == ExprKind::kCast) out = 1;
  if (const auto* n = e.as<BinaryNode>()) {
    const bool divides = n->op == BinaryOp::kDiv || n->op == BinaryOp::kFloorDiv || n->op == BinaryOp::kFloorMod ||
                         n->op == BinaryOp::kTruncDiv || n->op == BinaryOp::kTruncMod;
    out = divides ? kFewOperations + 1 : 1;
  }
  for_each_operand(e, [&](const Expr& operand) { out += operations(operand); });
  return out;
}

bool is_light(const Op& op) {
  switch (op.kind) {
    case OpKind::kAlloc:
      return op.as<Alloc>()->buffer->space == MemorySpace::kLocal;
    case OpKind::kIf:
      return true;
    case OpKind::kBind:
      return operations(op.as<Bind>()->value) <= kFewOperations;
    case OpKind::kStore:
      return operations(op.as<Store>()->value) <= kFewOperations;
    case OpKind::kFor: {
      const auto* loop = op.as<For>();
      return loop->loop == LoopKind::kUnrolled || loop->loop == LoopKind::kVectorized ||
             loop->hints.count("independent") != 0;
    }
    default:
      return false;
  }
}

}  // namespace

bool is_light(const Launch& launch) {
  bool out = launch.prelude.empty();
  visit_ops(launch.body, [&](const Op& op) { out = out && is_light(op); });
  return out;
}

}  // namespace tl
