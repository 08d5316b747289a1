#include "analysis/apart.h"

#include <algorithm>

#include "analysis/bounds.h"
#include "analysis/linear.h"
#include "ir/index.h"

namespace tl {
namespace {

bool at_most(const Expr& e, Wide most, const Facts& facts) {
  LinearForm gap = LinearForm::of_constant(most);
  gap.add(exact_form(e, facts), -1);
  return prove_nonnegative(gap, facts);
}

/// Whether [a, a + na) and [b, b + nb) are apart.
bool apart_along(const Expr& a, const Expr& na, const Expr& b, const Expr& nb, const Facts& facts) {
  const auto ends_before = [&](const Expr& begin, const Expr& length, const Expr& other) {
    LinearForm gap = exact_form(other, facts);
    gap.add(exact_form(begin, facts), -1);
    gap.add(exact_form(length, facts), -1);
    return prove_nonnegative(gap, facts);
  };
  return ends_before(a, na, b) || ends_before(b, nb, a);
}

/// What is equal where two boxes have an element in common.
class Digits {
 public:
  explicit Digits(const Facts& facts) : facts_(facts) {}

  /// Along one dimension: offsets that are multiples of no less than the boxes' lengths are equal.
  void meet(const Expr& a, const Expr& na, const Expr& b, const Expr& nb) {
    LinearForm gap = exact_form(a, facts_);
    gap.add(exact_form(b, facts_), -1);
    if (!gap.valid || gap.constant != 0 || gap.terms.size() != 2) return;
    const LinearTerm &x = gap.terms[0], &y = gap.terms[1];
    const Wide unit = std::max(x.coefficient, y.coefficient);
    if (x.coefficient + y.coefficient != 0 || !at_most(na, unit, facts_) || !at_most(nb, unit, facts_)) return;
    // The atom of `a` comes first.
    equal_.emplace_back(x.atom, y.atom);
  }

  /// Whether two numbers that differ would be equal.
  bool contradict() {
    for (size_t known = 0; known != equal_.size();) {
      known = equal_.size();
      for (size_t i = 0; i < known; ++i) {
        for (size_t j = 0; j < known; ++j) join(equal_[i], equal_[j]);
      }
    }
    const Expr one = make_int(DType::i64(), 1);
    return std::any_of(equal_.begin(), equal_.end(),
                       [&](const Equal& e) { return apart_along(e.first, one, e.second, one, facts_); });
  }

 private:
  using Equal = std::pair<Expr, Expr>;

  static const BinaryNode* operation(const Expr& e, BinaryOp op) {
    const auto* n = e.as<BinaryNode>();
    return n != nullptr && n->op == op ? n : nullptr;
  }

  /// Whether `a` and `b` leave the same remainder by `c` whatever their variables are.
  static bool congruent(const Expr& a, const Expr& b, const Expr& c) {
    if (same(a, b)) return true;
    const BinaryNode* whole = operation(a, BinaryOp::kFloorMod);
    const auto modulus = whole != nullptr ? as_int(whole->b) : std::nullopt, divisor = as_int(c);
    return modulus && divisor && *modulus % *divisor == 0 && same(whole->a, b);
  }

  /// Two numbers with the same quotient and the same remainder are the same.
  void join(const Equal& quotients, const Equal& remainders) {
    const BinaryNode *q1 = operation(quotients.first, BinaryOp::kFloorDiv),
                     *q2 = operation(quotients.second, BinaryOp::kFloorDiv),
                     *r1 = operation(remainders.first, BinaryOp::kFloorMod),
                     *r2 = operation(remainders.second, BinaryOp::kFloorMod);
    if (q1 == nullptr || q2 == nullptr || r1 == nullptr || r2 == nullptr) return;
    const Expr& divisor = q1->b;
    const bool one = same(divisor, q2->b) && same(divisor, r1->b) && same(divisor, r2->b);
    if (!one || bounds(divisor, facts_).lo <= 0) return;
    if (!congruent(q1->a, r1->a, divisor) || !congruent(q2->a, r2->a, divisor)) return;
    const bool known = std::any_of(equal_.begin(), equal_.end(),
                                   [&](const Equal& e) { return same(e.first, q1->a) && same(e.second, q2->a); });
    if (!known) equal_.emplace_back(q1->a, q2->a);
  }

  const Facts& facts_;
  std::vector<Equal> equal_;
};

}  // namespace

bool apart(const Region& a, const Region& b, const Facts& facts) {
  Digits digits(facts);
  for (size_t i = 0; i < a.offsets.size(); ++i) {
    if (apart_along(a.offsets[i], a.extents[i], b.offsets[i], b.extents[i], facts)) return true;
    digits.meet(a.offsets[i], a.extents[i], b.offsets[i], b.extents[i]);
  }
  return digits.contradict();
}

}  // namespace tl
