#include "analysis/rewrite_pattern.h"

#include <fmt/format.h>

namespace tl::rewrite {
namespace {

Pattern leaf(PatternKind kind, int number) { return Pattern(PatternNode{.kind = kind, .number = number}); }

bool bind(Expr& slot, const Expr& e) {
  if (slot) return same(slot, e);
  slot = e;
  return true;
}

/// The dtype of a row's names is the first one met; all must agree.
bool agree(Match& match, const Expr& e) {
  if (match.dtype.is_void()) match.dtype = e.dtype();
  return match.dtype == e.dtype();
}

Expr literal(int value, DType t) { return t.is_floating() ? make_float(t, value) : make_int(t, value); }

bool is_wildcard(const Pattern& p) { return p->kind == PatternKind::kAny || p->kind == PatternKind::kConstant; }

/// Ranges of conditions: arithmetic on mathematical integers, with a note of every operation that leaves the dtype.
class RangeOf {
 public:
  RangeOf(const Match& match, const Decider& decider) : match_(match), decider_(decider) {}

  bool exact = true;

  Interval operator()(const Pattern& p) {
    switch (p->kind) {
      case PatternKind::kAny:
        return decider_.range(match_.any[static_cast<size_t>(p->number)]);
      case PatternKind::kConstant:
        return decider_.range(match_.constant[static_cast<size_t>(p->number)]);
      case PatternKind::kLiteral:
        return Interval::point(p->number);
      case PatternKind::kUnary:
        return p->unary_op == UnaryOp::kNeg ? noted(-(*this)(p->operands[0])) : unknown();
      case PatternKind::kBinary:
        return binary(*p.operator->());
      default:
        return unknown();
    }
  }

 private:
  Interval binary(const PatternNode& n) {
    const Interval a = (*this)(n.operands[0]), b = (*this)(n.operands[1]);
    switch (n.binary_op) {
      case BinaryOp::kAdd:
        return noted(a + b);
      case BinaryOp::kSub:
        return noted(a - b);
      case BinaryOp::kMul:
        return noted(a * b);
      case BinaryOp::kFloorDiv:
        return noted(floor_div(a, b));
      case BinaryOp::kFloorMod:
        return floor_mod(a, b);
      case BinaryOp::kShl:
        if (b.lo < 0 || b.hi >= match_.dtype.bits()) return unknown();
        return noted(a * Interval{Wide{1} << static_cast<int>(b.lo), Wide{1} << static_cast<int>(b.hi)});
      default:
        return unknown();
    }
  }
  Interval noted(Interval range) {
    exact = exact && Interval::of(match_.dtype).contains(range);
    return range;
  }
  Interval unknown() {
    exact = false;
    return Interval::everything();
  }

  const Match& match_;
  const Decider& decider_;
};

bool known(BinaryOp op, Interval a, Interval b) {
  switch (op) {
    case BinaryOp::kLt:
      return less(a, b) == true;
    case BinaryOp::kLe:
      return less(b, a) == false;
    case BinaryOp::kGt:
      return less(b, a) == true;
    case BinaryOp::kGe:
      return less(a, b) == false;
    case BinaryOp::kEq:
      return a.is_point() && a == b;
    case BinaryOp::kNe:
      return less(a, b) == true || less(b, a) == true;
    default:
      return false;
  }
}

/// Comparisons that mean the same as an expression of the dtype, because nothing in them can wrap.
bool speaks_of_names(const Pattern& p) {
  if (is_wildcard(p)) return true;
  if (p->kind == PatternKind::kLiteral) return p->number >= 0;
  return p->kind == PatternKind::kBinary && p->binary_op == BinaryOp::kFloorMod && is_wildcard(p->operands[0]) &&
         is_wildcard(p->operands[1]);
}

bool has_any(const Pattern& p) {
  if (p->kind == PatternKind::kAny) return true;
  for (const Pattern& operand : p->operands) {
    if (has_any(operand)) return true;
  }
  return false;
}

}  // namespace

Pattern::Pattern(int literal) : Pattern(PatternNode{.kind = PatternKind::kLiteral, .number = literal}) {}
Pattern::Pattern(PatternNode node) : node_(std::make_shared<const PatternNode>(std::move(node))) {}

Wildcards wildcards() {
  using enum PatternKind;
  return {leaf(kAny, 0),   leaf(kAny, 1),      leaf(kAny, 2),      leaf(kTruth, 0),   leaf(kTruth, 1),
          leaf(kTruth, 2), leaf(kConstant, 0), leaf(kConstant, 1), leaf(kConstant, 2)};
}

Pattern unary(UnaryOp op, const Pattern& a) {
  return Pattern(PatternNode{.kind = PatternKind::kUnary, .unary_op = op, .operands = {a}});
}
Pattern binary(BinaryOp op, const Pattern& a, const Pattern& b) {
  return Pattern(PatternNode{.kind = PatternKind::kBinary, .binary_op = op, .operands = {a, b}});
}
Pattern select(const Pattern& p, const Pattern& a, const Pattern& b) {
  return Pattern(PatternNode{.kind = PatternKind::kSelect, .operands = {p, a, b}});
}
Pattern negative_zero() { return leaf(PatternKind::kNegativeZero, 0); }
Pattern truth(bool value) { return leaf(PatternKind::kBool, value ? 1 : 0); }
Pattern exact(const Pattern& a) { return Pattern(PatternNode{.kind = PatternKind::kExact, .operands = {a}}); }
Pattern power_of_two(const Pattern& a) {
  return Pattern(PatternNode{.kind = PatternKind::kPowerOfTwo, .operands = {a}});
}

std::string text(const Pattern& p) {
  if (p.absent()) return "always";
  const auto operand = [&](size_t i) { return text(p->operands[i]); };
  switch (p->kind) {
    case PatternKind::kAny:
      return std::string(1, "xyz"[p->number]);
    case PatternKind::kTruth:
      return std::string(1, "pqr"[p->number]);
    case PatternKind::kConstant:
      return fmt::format("c{}", p->number);
    case PatternKind::kLiteral:
      return fmt::format("{}", p->number);
    case PatternKind::kNegativeZero:
      return "-0.0";
    case PatternKind::kBool:
      return p->number != 0 ? "true" : "false";
    case PatternKind::kUnary:
      return fmt::format("{}({})", op_name(p->unary_op), operand(0));
    case PatternKind::kBinary: {
      const std::string_view symbol = op_info(p->binary_op).symbol;
      if (symbol.empty()) return fmt::format("{}({}, {})", op_name(p->binary_op), operand(0), operand(1));
      return fmt::format("({} {} {})", operand(0), symbol, operand(1));
    }
    case PatternKind::kSelect:
      return fmt::format("select({}, {}, {})", operand(0), operand(1), operand(2));
    case PatternKind::kExact:
      return fmt::format("exact({})", operand(0));
    case PatternKind::kPowerOfTwo:
      return fmt::format("power_of_two({})", operand(0));
  }
  return "?";
}

bool matches(const Pattern& p, const Expr& e, Match& match) {
  const auto number = static_cast<size_t>(p->number);
  switch (p->kind) {
    case PatternKind::kAny:
      return agree(match, e) && bind(match.any[number], e);
    case PatternKind::kTruth:
      return e.dtype().is_bool() && bind(match.truth[number], e);
    case PatternKind::kConstant:
      return e.kind() == ExprKind::kConst && agree(match, e) && bind(match.constant[number], e);
    case PatternKind::kLiteral:
      return e.kind() == ExprKind::kConst && !e.dtype().is_bool() && agree(match, e) &&
             same(e, literal(p->number, e.dtype()));
    case PatternKind::kNegativeZero:
      return e.kind() == ExprKind::kConst && agree(match, e) && same(e, make_float(e.dtype(), -0.0));
    case PatternKind::kBool:
      return e.dtype().is_bool() && is_const_int(e, p->number);
    case PatternKind::kUnary: {
      const auto* n = e.as<UnaryNode>();
      return n != nullptr && n->op == p->unary_op && matches(p->operands[0], n->a, match);
    }
    case PatternKind::kBinary: {
      const auto* n = e.as<BinaryNode>();
      return n != nullptr && n->op == p->binary_op && matches(p->operands[0], n->a, match) &&
             matches(p->operands[1], n->b, match);
    }
    case PatternKind::kSelect: {
      const auto* n = e.as<SelectNode>();
      return n != nullptr && matches(p->operands[0], n->condition, match) && matches(p->operands[1], n->a, match) &&
             matches(p->operands[2], n->b, match);
    }
    default:
      return false;
  }
}

Expr instantiate(const Pattern& p, const Match& match) {
  const auto operand = [&](size_t i) { return instantiate(p->operands[i], match); };
  const auto number = static_cast<size_t>(p->number);
  switch (p->kind) {
    case PatternKind::kAny:
      return match.any[number];
    case PatternKind::kTruth:
      return match.truth[number];
    case PatternKind::kConstant:
      return match.constant[number];
    case PatternKind::kLiteral:
      return literal(p->number, match.dtype);
    case PatternKind::kNegativeZero:
      return make_float(match.dtype, -0.0);
    case PatternKind::kBool:
      return make_bool(p->number != 0);
    case PatternKind::kUnary:
      return tl::unary(p->unary_op, operand(0));
    case PatternKind::kBinary:
      return tl::binary(p->binary_op, operand(0), operand(1));
    case PatternKind::kSelect:
      return tl::select(operand(0), operand(1), operand(2));
    default:
      return {};
  }
}

bool decide(const Pattern& condition, const Match& match, const Decider& decider) {
  if (condition.absent()) return true;
  RangeOf range(match, decider);
  switch (condition->kind) {
    case PatternKind::kExact:
      range(condition->operands[0]);
      return range.exact;
    case PatternKind::kPowerOfTwo: {
      const Interval value = range(condition->operands[0]);
      return value.is_point() && value.lo > 0 && (value.lo & (value.lo - 1)) == 0;
    }
    case PatternKind::kBinary:
      break;
    default:
      return false;
  }
  const Pattern &a = condition->operands[0], &b = condition->operands[1];
  if (condition->binary_op == BinaryOp::kAnd) return decide(a, match, decider) && decide(b, match, decider);
  if (known(condition->binary_op, range(a), range(b))) return true;
  // Only names that are not constants can be told better than by their ranges.
  const bool tellable = speaks_of_names(a) && speaks_of_names(b) && (has_any(a) || has_any(b));
  return tellable && decider.holds && decider.holds(instantiate(condition, match));
}

}  // namespace tl::rewrite
