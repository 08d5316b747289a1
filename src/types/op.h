// Scalar operators: one row of facts each. Their meaning is stated with `apply` in types/scalar.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "types/dtype.h"

namespace tl {

enum class UnaryOp : uint8_t { kNeg, kBitNot, kNot, kAbs };

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,       ///< floats only
  kFloorDiv,  ///< rounds towards minus infinity
  kFloorMod,  ///< takes the divisor's sign
  kTruncDiv,  ///< rounds towards zero
  kTruncMod,  ///< takes the dividend's sign
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,  ///< arithmetic on signed, logical on unsigned integers
  kAnd,  ///< logical, both operands evaluated
  kOr,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
};

inline constexpr std::size_t kNumUnaryOps = 4;
inline constexpr std::size_t kNumBinaryOps = 23;

/// A set of operand families, as a bit mask.
enum OperandSet : uint8_t {
  kOnBool = 1,
  kOnInteger = 2,
  kOnFloat = 4,
  kOnHandle = 8,
  kOnNumber = kOnInteger | kOnFloat,
};

struct OpInfo {
  std::string_view name;    ///< in the text IR: "add", "floordiv"
  std::string_view symbol;  ///< C-like infix or prefix spelling; empty where there is none of the same meaning
  bool result_is_bool;      ///< else the operands' type
  bool commutative;
  uint8_t operands;  ///< OperandSet
};

const OpInfo& op_info(UnaryOp op);
const OpInfo& op_info(BinaryOp op);
inline std::string_view op_name(UnaryOp op) { return op_info(op).name; }
inline std::string_view op_name(BinaryOp op) { return op_info(op).name; }

/// Inverse of `op_name`.
std::optional<UnaryOp> parse_unary_op(std::string_view name);
std::optional<BinaryOp> parse_binary_op(std::string_view name);

/// Whether the operator takes operands of this type (lanes do not matter).
bool accepts(UnaryOp op, DType operand);
bool accepts(BinaryOp op, DType operand);

/// Type of the result for operands of type `operand`, lane by lane.
inline DType result_dtype(UnaryOp op, DType operand) {
  return op_info(op).result_is_bool ? DType::boolean().with_lanes(operand.lanes()) : operand;
}
inline DType result_dtype(BinaryOp op, DType operand) {
  return op_info(op).result_is_bool ? DType::boolean().with_lanes(operand.lanes()) : operand;
}

inline bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq; }

/// The comparison with its operands swapped: a < b is b > a. Precondition: `is_comparison(op)`.
BinaryOp swapped_comparison(BinaryOp op);
/// The comparison that holds on integers where `op` does not (not valid for floats, because of NaN, except == and !=).
BinaryOp negated_comparison(BinaryOp op);

/// The operand family of a type as one bit of OperandSet; 0 for void.
uint8_t operand_family(DType t);

}  // namespace tl
