#include "types/op.h"

#include <array>
#include <cassert>

namespace tl {
namespace {

constexpr uint8_t kOnIntegerOrBool = kOnInteger | kOnBool;
constexpr uint8_t kOnOrdered = kOnNumber | kOnBool;
constexpr uint8_t kOnAny = kOnOrdered | kOnHandle;

// One row an operator, in the order of the enumeration.
//  name, symbol, result_is_bool, commutative, operands
constexpr std::array<OpInfo, kNumUnaryOps> kUnaryOps = {{
    {"neg", "-", false, false, kOnNumber},
    {"bitnot", "~", false, false, kOnIntegerOrBool},
    {"not", "!", true, false, kOnBool},
    {"abs", "", false, false, kOnNumber},
}};

constexpr std::array<OpInfo, kNumBinaryOps> kBinaryOps = {{
    {"add", "+", false, true, kOnNumber},
    {"sub", "-", false, false, kOnNumber},
    {"mul", "*", false, true, kOnNumber},
    {"div", "/", false, false, kOnFloat},
    {"floordiv", "", false, false, kOnNumber},
    {"floormod", "", false, false, kOnNumber},
    {"truncdiv", "", false, false, kOnNumber},
    {"truncmod", "", false, false, kOnNumber},
    {"min", "", false, true, kOnOrdered},
    {"max", "", false, true, kOnOrdered},
    {"bitand", "&", false, true, kOnIntegerOrBool},
    {"bitor", "|", false, true, kOnIntegerOrBool},
    {"bitxor", "^", false, true, kOnIntegerOrBool},
    {"shl", "<<", false, false, kOnInteger},
    {"shr", ">>", false, false, kOnInteger},
    {"and", "&&", true, true, kOnBool},
    {"or", "||", true, true, kOnBool},
    {"eq", "==", true, true, kOnAny},
    {"ne", "!=", true, true, kOnAny},
    {"lt", "<", true, false, kOnAny},
    {"le", "<=", true, false, kOnAny},
    {"gt", ">", true, false, kOnAny},
    {"ge", ">=", true, false, kOnAny},
}};
static_assert(static_cast<std::size_t>(UnaryOp::kAbs) + 1 == kNumUnaryOps);
static_assert(static_cast<std::size_t>(BinaryOp::kGe) + 1 == kNumBinaryOps);

struct ComparisonRow {
  BinaryOp op, swapped, negated;
};
constexpr std::array kComparisons = {
    ComparisonRow{BinaryOp::kEq, BinaryOp::kEq, BinaryOp::kNe},
    ComparisonRow{BinaryOp::kNe, BinaryOp::kNe, BinaryOp::kEq},
    ComparisonRow{BinaryOp::kLt, BinaryOp::kGt, BinaryOp::kGe},
    ComparisonRow{BinaryOp::kLe, BinaryOp::kGe, BinaryOp::kGt},
    ComparisonRow{BinaryOp::kGt, BinaryOp::kLt, BinaryOp::kLe},
    ComparisonRow{BinaryOp::kGe, BinaryOp::kLe, BinaryOp::kLt},
};

const ComparisonRow& comparison_row(BinaryOp op) {
  assert(is_comparison(op));
  return kComparisons[static_cast<std::size_t>(op) - static_cast<std::size_t>(BinaryOp::kEq)];
}

template <class Op, std::size_t N>
std::optional<Op> find_op(const std::array<OpInfo, N>& table, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (table[i].name == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace

const OpInfo& op_info(UnaryOp op) { return kUnaryOps[static_cast<std::size_t>(op)]; }
const OpInfo& op_info(BinaryOp op) { return kBinaryOps[static_cast<std::size_t>(op)]; }

std::optional<UnaryOp> parse_unary_op(std::string_view name) { return find_op<UnaryOp>(kUnaryOps, name); }
std::optional<BinaryOp> parse_binary_op(std::string_view name) { return find_op<BinaryOp>(kBinaryOps, name); }

uint8_t operand_family(DType t) {
  if (t.is_bool()) return kOnBool;
  if (t.is_integral()) return kOnInteger;
  if (t.is_floating()) return kOnFloat;
  return t.is_handle() ? kOnHandle : 0;
}

bool accepts(UnaryOp op, DType operand) { return (op_info(op).operands & operand_family(operand)) != 0; }
bool accepts(BinaryOp op, DType operand) { return (op_info(op).operands & operand_family(operand)) != 0; }

BinaryOp swapped_comparison(BinaryOp op) { return comparison_row(op).swapped; }
BinaryOp negated_comparison(BinaryOp op) { return comparison_row(op).negated; }

}  // namespace tl
