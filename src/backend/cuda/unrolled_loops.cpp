#include "backend/cuda/unrolled_loops.h"

#include <algorithm>
#include <set>

#include "backend/cfamily/c_statements.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// Loops that are not asked to be unrolled are, over registers, up to this length.
constexpr int64_t kUnrolledTrips = 64;
/// Instructions that an unrolled loop may become. NVRTC takes about a second for ten thousand.
constexpr int64_t kInstructions = 4096;
/// A loop over arrays that fit the registers may become more: rolled, all of them move to local memory.
constexpr int64_t kInstructionsOverRegisters = 4 * kInstructions;
/// Bytes of registers of one thread.
constexpr int64_t kRegisterBytes = 255 * 4;

bool is_wide(DType t) { return t.storage_bits() > 32; }

int64_t instructions(const Expr& e);

int64_t own_instructions(const Expr& e) {
  switch (e.kind()) {
    case ExprKind::kLoad:
      return 2;
    case ExprKind::kCall:
      return is_wide(e.dtype()) ? 100 : 20;
    case ExprKind::kBinary: {
      const auto* n = e.as<BinaryNode>();
      const bool wide = is_wide(e.dtype());
      if (n->op == BinaryOp::kDiv) return wide ? 40 : 20;
      const bool rounds = n->op == BinaryOp::kFloorDiv || n->op == BinaryOp::kFloorMod ||
                          n->op == BinaryOp::kTruncDiv || n->op == BinaryOp::kTruncMod;
      if (!rounds) return wide ? 2 : 1;
      // The remainder of floats is a loop of its own.
      if (e.dtype().is_floating()) return wide ? 400 : 100;
      if (as_int(n->b)) return wide ? 8 : 4;
      return wide ? 100 : 20;
    }
    case ExprKind::kUnary:
    case ExprKind::kCast:
    case ExprKind::kSelect:
      return 1;
    default:
      return 0;
  }
}

int64_t instructions(const Expr& e) {
  int64_t out = own_instructions(e);
  for_each_operand(e, [&](const Expr& operand) { out += instructions(operand); });
  return out;
}

int64_t trips(const For& loop) {
  const auto begin = as_int(loop.begin), end = as_int(loop.end), step = as_int(loop.step);
  if (!begin || !end || !step || *step == 0) return 0;
  return std::max<int64_t>((*end - *begin + *step - (*step > 0 ? 1 : -1)) / *step, 0);
}

/// Arrays of the thread of which `var` chooses an element below `body`.
std::set<const BufferNode*> chosen_arrays(const Block& body, const Var& var) {
  std::set<const BufferNode*> out;
  const auto check = [&](const BufferNode& b, const std::vector<Expr>& indices) {
    if (b.space != MemorySpace::kLocal) return;
    for (const Expr& index : indices) {
      if (mentions(index, var)) out.insert(&b);
    }
  };
  visit_ops(body, [&](const Op& op) {
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& sub) {
        if (const auto* n = sub.as<LoadNode>()) check(*n->buffer, n->indices);
      });
    });
    if (const auto* store = op.as<Store>()) check(*store->buffer, store->indices);
  });
  return out;
}

bool fit_registers(const std::set<const BufferNode*>& arrays) {
  int64_t bytes = 0;
  for (const BufferNode* b : arrays) bytes += static_element_count(*b) * std::max(b->dtype.storage_bits() / 8, 1);
  return bytes <= kRegisterBytes;
}

}  // namespace

int64_t instructions(const Block& body) {
  int64_t out = 0;
  for (const OpPtr& op : body) {
    for_each_expr(*op, [&](const Expr& e) { out += instructions(e); });
    if (op->as<Store>() != nullptr) out += 2;
    int64_t inner = 0;
    for_each_block(*op, [&](std::string_view, const Block& b) { inner += instructions(b); });
    const auto* loop = op->as<For>();
    // A vector moves at once.
    const bool repeated = loop != nullptr && loop->loop != LoopKind::kVectorized && is_unrolled(*loop);
    out += repeated ? inner * trips(*loop) : inner;
  }
  return out;
}

bool is_unrolled(const For& loop) {
  const int64_t count = trips(loop);
  const auto arrays = chosen_arrays(loop.body, loop.var);
  if (loop.loop == LoopKind::kVectorized) return true;
  if (loop.loop == LoopKind::kUnrolled && loop.hints.count("independent") == 0) return true;  // as the program says
  if (loop.loop != LoopKind::kUnrolled && (count == 0 || count > kUnrolledTrips || arrays.empty())) return false;
  const int64_t size = count * instructions(loop.body);
  return size <= kInstructions || (!arrays.empty() && fit_registers(arrays) && size <= kInstructionsOverRegisters);
}

}  // namespace tl
