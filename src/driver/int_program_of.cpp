#include "driver/int_program_of.h"

#include "ir/text.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

struct OpRow {
  BinaryOp op;
  IntOp as_signed, as_unsigned;
};

constexpr OpRow kRows[] = {
    {BinaryOp::kAdd, IntOp::kAdd, IntOp::kAdd},
    {BinaryOp::kSub, IntOp::kSub, IntOp::kSub},
    {BinaryOp::kMul, IntOp::kMul, IntOp::kMul},
    {BinaryOp::kFloorDiv, IntOp::kFloorDiv, IntOp::kUDiv},
    {BinaryOp::kFloorMod, IntOp::kFloorMod, IntOp::kUMod},
    {BinaryOp::kTruncDiv, IntOp::kTruncDiv, IntOp::kUDiv},
    {BinaryOp::kTruncMod, IntOp::kTruncMod, IntOp::kUMod},
    {BinaryOp::kMin, IntOp::kMin, IntOp::kUMin},
    {BinaryOp::kMax, IntOp::kMax, IntOp::kUMax},
    {BinaryOp::kBitAnd, IntOp::kBitAnd, IntOp::kBitAnd},
    {BinaryOp::kBitOr, IntOp::kBitOr, IntOp::kBitOr},
    {BinaryOp::kBitXor, IntOp::kBitXor, IntOp::kBitXor},
    {BinaryOp::kShl, IntOp::kShl, IntOp::kShl},
    {BinaryOp::kShr, IntOp::kShr, IntOp::kUShr},
    {BinaryOp::kAnd, IntOp::kAnd, IntOp::kAnd},
    {BinaryOp::kOr, IntOp::kOr, IntOp::kOr},
    {BinaryOp::kEq, IntOp::kEq, IntOp::kEq},
    {BinaryOp::kNe, IntOp::kNe, IntOp::kNe},
    {BinaryOp::kLt, IntOp::kLt, IntOp::kULt},
    {BinaryOp::kLe, IntOp::kLe, IntOp::kULe},
};

class Writer {
 public:
  explicit Writer(const SlotOf& slot_of) : slot_of_(slot_of) {}

  void write(const Expr& e) {
    const DType t = e.dtype();
    TL_CHECK(t.is_integral() || t.is_bool() || t.is_handle(), "not a host integer: " + print(e));
    switch (e.kind()) {
      case ExprKind::kConst:
        program.push_constant(e.as<ConstNode>()->value.as_int());
        return;
      case ExprKind::kVar: {
        const int slot = slot_of_(Var(e));
        TL_CHECK(slot >= 0, "no slot for " + print(e));
        program.push_slot(slot);
        return;
      }
      case ExprKind::kUnary:
        return unary(*e.as<UnaryNode>());
      case ExprKind::kBinary:
        return binary(*e.as<BinaryNode>());
      case ExprKind::kSelect: {
        const auto* n = e.as<SelectNode>();
        write(n->condition);
        write(n->a);
        write(n->b);
        program.push(IntOp::kSelect);
        return;
      }
      case ExprKind::kCast:
        write(e.as<CastNode>()->a);
        if (t.is_bool()) {
          program.push_constant(0).push(IntOp::kNe);
        } else {
          wrap(t, e.as<CastNode>()->a.dtype());
        }
        return;
      default:
        internal_error(__FILE__, __LINE__, "kind", "not a host expression: " + print(e));
    }
  }

  IntProgram program;

 private:
  void unary(const UnaryNode& n) {
    write(n.a);
    static constexpr IntOp kOps[] = {IntOp::kNeg, IntOp::kBitNot, IntOp::kNot, IntOp::kAbs};
    program.push(kOps[static_cast<int>(n.op)]);
    if (n.dtype.is_uint()) wrap(n.dtype, DType::i64());
  }

  void binary(const BinaryNode& n) {
    const bool is_unsigned = n.a.dtype().is_uint() || n.a.dtype().is_handle();
    const bool swapped = n.op == BinaryOp::kGt || n.op == BinaryOp::kGe;
    const BinaryOp op = swapped ? swapped_comparison(n.op) : n.op;
    write(swapped ? n.b : n.a);
    write(swapped ? n.a : n.b);
    for (const OpRow& row : kRows) {
      if (row.op != op) continue;
      program.push(is_unsigned ? row.as_unsigned : row.as_signed);
      if (n.dtype.is_uint()) wrap(n.dtype, DType::i64());
      return;
    }
    internal_error(__FILE__, __LINE__, "row", "operator without a host form");
  }

  /// Cuts a value of type `from` to `to`, unless it fits anyway.
  void wrap(DType to, DType from) {
    if (to.bits() >= 64 || from.is_bool()) return;
    if (to.is_int() && from.is_int() && from.bits() <= to.bits()) return;
    program.push_wrap(to.is_int() ? IntOp::kWrapInt : IntOp::kWrapUInt, to.bits());
  }

  const SlotOf& slot_of_;
};

}  // namespace

IntProgram int_program_of(const Expr& e, const SlotOf& slot_of) {
  Writer writer(slot_of);
  writer.write(e);
  return writer.program;
}

}  // namespace tl
