#pragma once

// What printer and parser of expressions share: which operators are infix, and how they bind.

#include <optional>
#include <string_view>

#include "types/op.h"

namespace tl {

/// Binding strength of infix operators, loosest first. Operators without an entry are written as calls: `min(a, b)`.
struct InfixRow {
  BinaryOp op;
  std::string_view symbol;
  int strength;
};

inline constexpr InfixRow kInfix[] = {
    {BinaryOp::kOr, "||", 1},    {BinaryOp::kAnd, "&&", 2}, {BinaryOp::kEq, "==", 3},   {BinaryOp::kNe, "!=", 3},
    {BinaryOp::kLe, "<=", 4},    {BinaryOp::kGe, ">=", 4},  {BinaryOp::kShl, "<<", 8},  {BinaryOp::kShr, ">>", 8},
    {BinaryOp::kLt, "<", 4},     {BinaryOp::kGt, ">", 4},   {BinaryOp::kBitOr, "|", 5}, {BinaryOp::kBitXor, "^", 6},
    {BinaryOp::kBitAnd, "&", 7}, {BinaryOp::kAdd, "+", 9},  {BinaryOp::kSub, "-", 9},   {BinaryOp::kMul, "*", 10},
    {BinaryOp::kDiv, "/", 10},
};
/// Where messages, which show expressions as Python writes them, differ.
inline constexpr InfixRow kPythonInfix[] = {
    {BinaryOp::kOr, "or", 1},
    {BinaryOp::kAnd, "and", 2},
    {BinaryOp::kFloorDiv, "//", 10},
    {BinaryOp::kFloorMod, "%", 10},
};
inline constexpr int kUnaryStrength = 11;
inline constexpr int kPrimaryStrength = 12;

inline const InfixRow* infix_of(BinaryOp op) {
  for (const InfixRow& row : kInfix) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

inline bool is_name_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace tl
