#include "analysis/rewrite_rows.h"

#include <map>

namespace tl::rewrite {
namespace {

/// What the root of an expression is: rows are looked up by it.
using RootKey = std::pair<int, int>;

RootKey key_of(const PatternNode& p) {
  switch (p.kind) {
    case PatternKind::kUnary:
      return {static_cast<int>(ExprKind::kUnary), static_cast<int>(p.unary_op)};
    case PatternKind::kBinary:
      return {static_cast<int>(ExprKind::kBinary), static_cast<int>(p.binary_op)};
    default:
      return {static_cast<int>(ExprKind::kSelect), 0};
  }
}

RootKey key_of(const Expr& e) {
  if (const auto* n = e.as<UnaryNode>()) return {static_cast<int>(e.kind()), static_cast<int>(n->op)};
  if (const auto* n = e.as<BinaryNode>()) return {static_cast<int>(e.kind()), static_cast<int>(n->op)};
  return {static_cast<int>(e.kind()), 0};
}

bool is_constant(const Pattern& p) {
  return p->kind == PatternKind::kConstant || p->kind == PatternKind::kLiteral || p->kind == PatternKind::kBool ||
         p->kind == PatternKind::kNegativeZero;
}

/// The pattern with the operands of its commutative operators in every order; constants stay on the right.
std::vector<Pattern> orders(const Pattern& p) {
  std::vector<PatternNode> partial = {*p.operator->()};
  for (size_t i = 0; i < p->operands.size(); ++i) {
    std::vector<PatternNode> longer;
    for (const Pattern& operand : orders(p->operands[i])) {
      for (PatternNode node : partial) {
        node.operands[i] = operand;
        longer.push_back(std::move(node));
      }
    }
    partial = std::move(longer);
  }
  const bool swaps =
      p->kind == PatternKind::kBinary && op_info(p->binary_op).commutative && !is_constant(p->operands[1]);
  std::vector<Pattern> out;
  for (PatternNode& node : partial) {
    if (swaps) {
      PatternNode swapped = node;
      std::swap(swapped.operands[0], swapped.operands[1]);
      out.emplace_back(std::move(swapped));
    }
    out.emplace_back(std::move(node));
  }
  return out;
}

std::map<RootKey, std::vector<Row>> make_index() {
  std::map<RootKey, std::vector<Row>> index;
  for (const Row& row : all_rows()) {
    for (const Pattern& from : orders(row.from)) {
      index[key_of(*from.operator->())].push_back({from, row.to, row.when, row.types});
    }
  }
  return index;
}

}  // namespace

uint8_t type_bit(DType t) {
  if (t.is_int()) return kSigned;
  if (t.is_uint()) return kUnsigned;
  if (t.is_bool() || t.is_void()) return kBoolean;
  return t.is_floating() && float_format(t).has_negative_zero() ? kFloat : 0;
}

const std::vector<Row>& all_rows() {
  static const auto& rows = *new std::vector<Row>([] {
    std::vector<Row> all;
    for (auto* table : {sum_rows, division_rows, bit_rows, order_rows, comparison_rows, boolean_rows, float_rows}) {
      for (Row& row : table()) all.push_back(std::move(row));
    }
    return all;
  }());
  return rows;
}

Expr apply_rows(const Expr& e, const Decider& decider) {
  static const auto& index = *new std::map<RootKey, std::vector<Row>>(make_index());
  const auto rows = index.find(key_of(e));
  if (rows == index.end()) return e;
  for (const Row& row : rows->second) {
    Match match;
    if (!matches(row.from, e, match) || (type_bit(match.dtype) & row.types) == 0) continue;
    if (!decide(row.when, match, decider)) continue;
    Expr replaced = instantiate(row.to, match);
    if (!same(replaced, e)) return replaced;
  }
  return e;
}

}  // namespace tl::rewrite
