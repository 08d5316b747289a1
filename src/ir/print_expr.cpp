#include "ir/print_expr.h"

#include <fmt/format.h>

#include "ir/expr_syntax.h"
#include "ir/intrinsics.h"

namespace tl {
namespace {

std::string call_name(const CallNode& n) {
  // The dtype of an elementary function follows from its argument; that of another call is written.
  return n.intrinsic->math ? std::string(n.intrinsic->name) : fmt::format("{}:{}", n.intrinsic->name, n.dtype.name());
}

constexpr std::string_view kUnarySymbols[] = {"-", "~", "!", ""};
constexpr std::string_view kPythonUnarySymbols[] = {"-", "~", "not ", ""};

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (u < 0x20 || u == 0x7f) {
      out += fmt::format("\\x{:02x}", u);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string ExprPrinter::args(const std::vector<Expr>& exprs) const {
  std::string out;
  for (const Expr& e : exprs) out += (out.empty() ? "" : ", ") + expr(e);
  return out;
}

std::string ExprPrinter::list(const std::vector<Expr>& exprs) const { return "[" + args(exprs) + "]"; }

std::string ExprPrinter::region(const Region& r) const {
  std::string out;
  for (size_t i = 0; i < r.offsets.size(); ++i) {
    out += fmt::format("{}{} :+ {}", i == 0 ? "" : ", ", expr(r.offsets[i]), expr(r.extents[i]));
  }
  return fmt::format("{}[{}]", buffer(r.buffer), out);
}

const InfixRow* ExprPrinter::row_of(BinaryOp op) const {
  if (python_) {
    for (const InfixRow& row : kPythonInfix) {
      if (row.op == op) return &row;
    }
  }
  return infix_of(op);
}

std::string ExprPrinter::constant(const Scalar& value) const {
  const DType t = value.dtype();
  if (python_) return t.is_bool() ? (value.truthy() ? "True" : "False") : value.text();
  if (t.is_bool() || t == DType::i32()) return value.text();
  return fmt::format("{}:{}", value.text(), t.name());
}

std::string ExprPrinter::conversion(std::string_view name, const Expr& e, const Expr& from) const {
  return python_ ? fmt::format("T.{}({}, \"{}\")", name, expr(from), e.dtype().name())
                 : fmt::format("{}({}, {})", name, e.dtype().name(), expr(from));
}

std::string ExprPrinter::infix(const BinaryNode& n, const InfixRow& row, int strength) const {
  // Operators of one strength group to the left; comparisons do not chain, so their operands bind tighter.
  const int left = is_comparison(n.op) ? row.strength + 1 : row.strength;
  std::string out = fmt::format("{} {} {}", expr(n.a, left), row.symbol, expr(n.b, row.strength + 1));
  return row.strength < strength ? "(" + out + ")" : out;
}

std::string ExprPrinter::expr(const Expr& e, int strength) const {
  switch (e.kind()) {
    case ExprKind::kConst: {
      std::string out = constant(e.as<ConstNode>()->value);
      return out[0] == '-' && strength > kUnaryStrength ? "(" + out + ")" : out;
    }
    case ExprKind::kString:
      return quoted(e.as<StringNode>()->value);
    case ExprKind::kVar:
      return name_of_(e.get(), e.as<VarNode>()->name);
    case ExprKind::kUnary: {
      const auto* n = e.as<UnaryNode>();
      const std::string_view symbol = (python_ ? kPythonUnarySymbols : kUnarySymbols)[static_cast<int>(n->op)];
      if (symbol.empty()) return fmt::format("{}({})", op_name(n->op), expr(n->a));
      // A constant right behind a minus would read back as a negative constant.
      const bool bare = n->a.kind() != ExprKind::kConst;
      std::string inner = bare ? expr(n->a, kUnaryStrength) : "(" + expr(n->a) + ")";
      return fmt::format("{}{}", symbol, inner);
    }
    case ExprKind::kBinary: {
      const auto* n = e.as<BinaryNode>();
      if (const InfixRow* row = row_of(n->op)) return infix(*n, *row, strength);
      return fmt::format("{}({}, {})", op_name(n->op), expr(n->a), expr(n->b));
    }
    case ExprKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      return fmt::format("{}({}, {}, {})", python_ ? "T.if_then_else" : "select", expr(n->condition), expr(n->a),
                         expr(n->b));
    }
    case ExprKind::kCast:
      return conversion("cast", e, e.as<CastNode>()->a);
    case ExprKind::kBitcast:
      return conversion("bitcast", e, e.as<BitcastNode>()->a);
    case ExprKind::kLoad: {
      const auto* n = e.as<LoadNode>();
      return buffer(n->buffer) + list(n->indices);
    }
    case ExprKind::kCall: {
      const auto* n = e.as<CallNode>();
      return fmt::format("{}({})", call_name(*n), args(n->args));
    }
  }
  return "?";
}

}  // namespace tl
