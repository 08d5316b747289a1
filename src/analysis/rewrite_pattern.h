#pragma once

// The small language in which rewrite rows are written: `{(x * c0) / c1, x * (c0 / c1), c1 > 0 && c0 % c1 == 0 &&
// exact(x * c0)}`.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/interval.h"
#include "ir/expr.h"

namespace tl::rewrite {

enum class PatternKind : uint8_t {
  kAny,           // x, y, z: any expression of the row's dtype; twice the same name, twice the same expression
  kTruth,         // p, q, r: any expression of dtype bool
  kConstant,      // c0, c1, c2: a constant of the row's dtype
  kLiteral,       // 0, 1, -1 of the row's dtype
  kNegativeZero,  // -0.0
  kBool,          // true, false
  kUnary,
  kBinary,
  kSelect,
  kExact,       // in conditions: no operation inside leaves the range of the dtype
  kPowerOfTwo,  // in conditions: the operand is one
};

struct PatternNode;

/// A pattern, a replacement or a condition. In patterns and replacements operators mean those of the language on the
/// row's dtype (`/` and `%` are floor division and remainder); in conditions they mean arithmetic on mathematical
/// integers.
class Pattern {
 public:
  Pattern() = default;
  Pattern(int literal);  // NOLINT: a literal is written as what it is
  explicit Pattern(PatternNode node);
  const PatternNode* operator->() const { return node_.get(); }
  /// A default-made pattern, which no row has but as its condition.
  bool absent() const { return node_ == nullptr; }

 private:
  std::shared_ptr<const PatternNode> node_;
};

struct PatternNode {
  PatternKind kind;
  /// Number of a wildcard, value of a literal.
  int number = 0;
  UnaryOp unary_op = UnaryOp::kNeg;
  BinaryOp binary_op = BinaryOp::kAdd;
  std::vector<Pattern> operands = {};
};

/// The names of a table.
struct Wildcards {
  Pattern x, y, z, p, q, r, c0, c1, c2;
};
Wildcards wildcards();

Pattern unary(UnaryOp op, const Pattern& a);
Pattern binary(BinaryOp op, const Pattern& a, const Pattern& b);
Pattern select(const Pattern& p, const Pattern& a, const Pattern& b);
Pattern negative_zero();
Pattern truth(bool value);
Pattern exact(const Pattern& a);
Pattern power_of_two(const Pattern& a);

#define TL_PATTERN_OPERATOR(symbol, op) \
  inline Pattern operator symbol(const Pattern& a, const Pattern& b) { return binary(BinaryOp::op, a, b); }
TL_PATTERN_OPERATOR(+, kAdd)
TL_PATTERN_OPERATOR(-, kSub)
TL_PATTERN_OPERATOR(*, kMul)
TL_PATTERN_OPERATOR(/, kFloorDiv)
TL_PATTERN_OPERATOR(%, kFloorMod)
TL_PATTERN_OPERATOR(<, kLt)
TL_PATTERN_OPERATOR(<=, kLe)
TL_PATTERN_OPERATOR(>, kGt)
TL_PATTERN_OPERATOR(>=, kGe)
TL_PATTERN_OPERATOR(==, kEq)
TL_PATTERN_OPERATOR(!=, kNe)
TL_PATTERN_OPERATOR(&&, kAnd)
TL_PATTERN_OPERATOR(||, kOr)
TL_PATTERN_OPERATOR(&, kBitAnd)
TL_PATTERN_OPERATOR(|, kBitOr)
TL_PATTERN_OPERATOR(^, kBitXor)
TL_PATTERN_OPERATOR(<<, kShl)
TL_PATTERN_OPERATOR(>>, kShr)
#undef TL_PATTERN_OPERATOR
inline Pattern operator-(const Pattern& a) { return unary(UnaryOp::kNeg, a); }
inline Pattern operator!(const Pattern& a) { return unary(UnaryOp::kNot, a); }
inline Pattern operator~(const Pattern& a) { return unary(UnaryOp::kBitNot, a); }
inline Pattern abs(const Pattern& a) { return unary(UnaryOp::kAbs, a); }
inline Pattern min(const Pattern& a, const Pattern& b) { return binary(BinaryOp::kMin, a, b); }
inline Pattern max(const Pattern& a, const Pattern& b) { return binary(BinaryOp::kMax, a, b); }
inline Pattern trunc_div(const Pattern& a, const Pattern& b) { return binary(BinaryOp::kTruncDiv, a, b); }
inline Pattern trunc_mod(const Pattern& a, const Pattern& b) { return binary(BinaryOp::kTruncMod, a, b); }
inline Pattern true_div(const Pattern& a, const Pattern& b) { return binary(BinaryOp::kDiv, a, b); }

/// For messages.
std::string text(const Pattern& pattern);

/// What the names of a row stand for in one expression.
struct Match {
  std::array<Expr, 3> any, truth, constant;
  /// The dtype of x, y, z and the constants; void where the row has none.
  DType dtype;
};

/// Whether `e` has the form of `pattern`; fills `match`, which is empty before. Operands of commutative operators match
/// in the order they stand.
bool matches(const Pattern& pattern, const Expr& e, Match& match);
/// The expression that a pattern or replacement stands for. Constants fold as everywhere.
Expr instantiate(const Pattern& pattern, const Match& match);

/// How a condition is decided: the range of a name's value, and, where ranges do not tell, a comparison of two names.
struct Decider {
  std::function<Interval(const Expr&)> range;
  std::function<bool(const Expr& comparison)> holds;
};
/// Whether a condition is known to hold; the absent condition does.
bool decide(const Pattern& condition, const Match& match, const Decider& decider);

}  // namespace tl::rewrite
