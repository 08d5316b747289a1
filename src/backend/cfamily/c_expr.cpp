#include "backend/cfamily/c_expr.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// How C++ spells an operator: infix with its precedence, or a prelude function where C++'s own operator means
/// something else for these operands.
struct COperator {
  BinaryOp op;
  std::string_view symbol;
  int strength;
  std::string_view function;
};

constexpr COperator kOperators[] = {
    {BinaryOp::kAdd, "+", 12, {}},
    {BinaryOp::kSub, "-", 12, {}},
    {BinaryOp::kMul, "*", 13, {}},
    {BinaryOp::kDiv, "/", 13, {}},
    {BinaryOp::kFloorDiv, {}, 0, "floor_div"},
    {BinaryOp::kFloorMod, {}, 0, "floor_mod"},
    {BinaryOp::kTruncDiv, {}, 0, "trunc_div"},
    {BinaryOp::kTruncMod, {}, 0, "trunc_mod"},
    {BinaryOp::kMin, {}, 0, "min"},
    {BinaryOp::kMax, {}, 0, "max"},
    {BinaryOp::kBitAnd, "&", 8, {}},
    {BinaryOp::kBitOr, "|", 6, {}},
    {BinaryOp::kBitXor, "^", 7, {}},
    {BinaryOp::kShl, {}, 0, "shift_left"},
    {BinaryOp::kShr, {}, 0, "shift_right"},
    {BinaryOp::kAnd, "&&", 5, {}},
    {BinaryOp::kOr, "||", 4, {}},
    {BinaryOp::kEq, "==", 9, {}},
    {BinaryOp::kNe, "!=", 9, {}},
    {BinaryOp::kLt, "<", 10, {}},
    {BinaryOp::kLe, "<=", 10, {}},
    {BinaryOp::kGt, ">", 10, {}},
    {BinaryOp::kGe, ">=", 10, {}},
};

const COperator& row_of(BinaryOp op) { return kOperators[static_cast<int>(op)]; }

bool wraps_in_index(DType t) { return !t.is_int(); }

}  // namespace

std::string parenthesised(std::string text, bool needed) { return needed ? "(" + text + ")" : text; }

bool computes_in_int(DType t) { return t.is_bool() || (t.is_integral() && t.bits() < 32); }

std::string CExpr::args(const std::vector<Expr>& exprs) {
  std::string out;
  for (const Expr& e : exprs) out += (out.empty() ? "" : ", ") + value(e);
  return out;
}

std::string CExpr::operand(const Expr& e, int strength) {
  // The other operand makes a small literal an int64.
  const auto v = e.dtype() == DType::i64() ? as_int(e) : std::nullopt;
  if (v && *v >= INT32_MIN && *v <= INT32_MAX) return parenthesised(std::to_string(*v), *v < 0 && strength >= kUnary);
  return value(e, strength);
}

std::string CExpr::binary(const BinaryNode& n, int strength) {
  if (const auto text = spelled(n, Context::kValue, strength)) return *text;
  const COperator& row = row_of(n.op);
  if (row.symbol.empty()) return fmt::format("{}({}, {})", function(row.function, n.a.dtype()), value(n.a), value(n.b));
  const bool cut = computes_in_int(n.dtype) && !op_info(n.op).result_is_bool && !n.a.dtype().is_bool();
  // Comparisons do not chain in the same way on both sides; both operands bind tighter.
  const int left = is_comparison(n.op) ? row.strength + 1 : row.strength;
  std::string text = fmt::format("{} {} {}", operand(n.a, left), row.symbol, operand(n.b, row.strength + 1));
  if (cut) return fmt::format("{}({})", type(n.dtype), text);
  return parenthesised(std::move(text), row.strength < strength);
}

std::string CExpr::unary(const UnaryNode& n, int strength) {
  if (const auto text = spelled(n, strength)) return *text;
  const bool cut = computes_in_int(n.dtype);
  switch (n.op) {
    case UnaryOp::kNeg:
    case UnaryOp::kBitNot: {
      if (n.dtype.is_bool()) return parenthesised("!" + value(n.a, kUnary), kUnary < strength);
      const char* symbol = n.op == UnaryOp::kNeg ? "-" : "~";
      std::string inner = value(n.a, kUnary);
      if (inner[0] == '-') inner = "(" + inner + ")";
      if (cut) return fmt::format("{}({}{})", type(n.dtype), symbol, inner);
      return parenthesised(symbol + inner, kUnary < strength);
    }
    case UnaryOp::kNot:
      return parenthesised("!" + value(n.a, kUnary), kUnary < strength);
    case UnaryOp::kAbs:
      return fmt::format("{}({})", function("abs", n.a.dtype()), value(n.a));
  }
  return {};
}

std::string CExpr::value(const Expr& e, int strength) {
  switch (e.kind()) {
    case ExprKind::kConst: {
      std::string text = constant(e.as<ConstNode>()->value);
      return parenthesised(text, text[0] == '-' && strength >= kUnary);
    }
    case ExprKind::kString:
      internal_error(__FILE__, __LINE__, "kind", "a string is no value");
    case ExprKind::kVar: {
      const std::string& id = names_.of(e.get(), e.as<VarNode>()->name);
      return as_index_.count(e.get()) != 0 && e.dtype() != index_type_ ? fmt::format("{}({})", type(e.dtype()), id)
                                                                       : id;
    }
    case ExprKind::kUnary:
      return unary(*e.as<UnaryNode>(), strength);
    case ExprKind::kBinary:
      return binary(*e.as<BinaryNode>(), strength);
    case ExprKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      return parenthesised(fmt::format("{} ? {} : {}", value(n->condition, kTernary + 1), value(n->a, kTernary + 1),
                                       value(n->b, kTernary)),
                           kTernary < strength);
    }
    case ExprKind::kCast: {
      const Expr& a = e.as<CastNode>()->a;
      // Converting a variable to the type that it is held in costs nothing.
      if (e.dtype() == index_type_ && as_index_.count(a.get()) != 0) return names_.of(a.get(), a.as<VarNode>()->name);
      return conversion(e.dtype(), a);
    }
    case ExprKind::kBitcast:
      return fmt::format("__builtin_bit_cast({}, {})", type(e.dtype()), value(e.as<BitcastNode>()->a));
    case ExprKind::kLoad:
      return element(*e.as<LoadNode>()->buffer, e.as<LoadNode>()->indices);
    case ExprKind::kCall:
      return call(*e.as<CallNode>());
  }
  return {};
}

std::string CExpr::conversion(DType to, const Expr& a) {
  return fmt::format("{}<{}>({})", function("cast"), type(to), value(a));
}

std::string CExpr::index_binary(const BinaryNode& n, int strength) {
  if (const auto text = spelled(n, Context::kIndex, strength)) return *text;
  const COperator& row = row_of(n.op);
  switch (n.op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
      return parenthesised(fmt::format("{} {} {}", index(n.a, row.strength), row.symbol, index(n.b, row.strength + 1)),
                           row.strength < strength);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return fmt::format("{}<{}>({}, {})", function(row.function), type(index_type_), index(n.a), index(n.b));
    default:
      // Bit operations: the value, converted.
      return fmt::format("{}({})", type(index_type_), binary(n, 0));
  }
}

std::string CExpr::index(const Expr& e, int strength) {
  const auto widened = [&] { return fmt::format("{}({})", type(index_type_), value(e)); };
  if (const auto v = as_int(e)) return parenthesised(std::to_string(*v), *v < 0 && strength > 0);
  if (e.kind() == ExprKind::kVar) {
    const std::string& id = names_.of(e.get(), e.as<VarNode>()->name);
    return as_index_.count(e.get()) != 0 || e.dtype() == index_type_ ? id : widened();
  }
  if (wraps_in_index(e.dtype())) return widened();
  switch (e.kind()) {
    case ExprKind::kBinary:
      return index_binary(*e.as<BinaryNode>(), strength);
    case ExprKind::kUnary:
      if (e.as<UnaryNode>()->op != UnaryOp::kNeg) return widened();
      return parenthesised("-" + index(e.as<UnaryNode>()->a, kUnary), kUnary < strength);
    case ExprKind::kCast: {
      const Expr& a = e.as<CastNode>()->a;
      const bool keeps = a.dtype().is_int() && a.dtype().bits() <= e.dtype().bits();
      return keeps ? index(a, strength) : widened();
    }
    case ExprKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      return parenthesised(fmt::format("{} ? {} : {}", value(n->condition, kTernary + 1), index(n->a, kTernary + 1),
                                       index(n->b, kTernary)),
                           kTernary < strength);
    }
    default:
      return e.dtype() == index_type_ ? value(e, strength) : widened();
  }
}

std::string CExpr::offset(const BufferNode& buffer, const std::vector<Expr>& indices) {
  return buffer.is_contiguous() ? contiguous_offset(buffer, indices) : strided_offset(buffer, indices);
}

// Numbers are multiplied here: C++ would compute the product of two literals in int.

std::string CExpr::contiguous_offset(const BufferNode& buffer, const std::vector<Expr>& indices) {
  // Horner's scheme over the extents keeps the user's extents readable. `number` is the offset as long as `out` is
  // empty.
  std::string out;
  int64_t number = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto at = as_int(indices[i]);
    if (out.empty() && at && (number == 0 || as_int(buffer.shape[i]))) {
      number = number == 0 ? *at : number * *as_int(buffer.shape[i]) + *at;
      continue;
    }
    const bool more = i + 1 < indices.size();
    if (out.empty() && number == 0) {
      out = index(indices[i], more ? 13 : 0);
      continue;
    }
    if (out.empty() && as_int(buffer.shape[i])) {
      out = std::to_string(number * *as_int(buffer.shape[i]));
    } else {
      out = fmt::format("{} * {}", out.empty() ? std::to_string(number) : out, index(buffer.shape[i], 14));
    }
    if (at == 0) continue;
    out += " + " + index(indices[i], more ? 12 : 13);
    if (more) out = "(" + out + ")";
  }
  return out.empty() ? std::to_string(number) : out;
}

std::string CExpr::strided_offset(const BufferNode& buffer, const std::vector<Expr>& indices) {
  std::string out;
  int64_t number = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto at = as_int(indices[i]), stride = as_int(buffer.strides[i]);
    if (at == 0) continue;
    if (at && stride) {
      number += *at * *stride;
      continue;
    }
    const std::string term = stride == 1 ? index(indices[i], 12)
                                         : fmt::format("{} * {}", index(indices[i], 13), index(buffer.strides[i], 14));
    out += (out.empty() ? "" : " + ") + term;
  }
  if (out.empty()) return std::to_string(number);
  return number == 0 ? out : fmt::format("{} {} {}", out, number < 0 ? '-' : '+', number < 0 ? -number : number);
}

std::string CExpr::element(const BufferNode& buffer, const std::vector<Expr>& indices) {
  if (buffer.space == MemorySpace::kVar) return name(buffer);
  return fmt::format("{}[{}]", name(buffer), offset(buffer, indices));
}

}  // namespace tl
