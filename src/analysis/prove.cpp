#include <algorithm>
#include <numeric>

#include "analysis/bounds.h"

namespace tl {
namespace {

/// Eliminations per question; a question that needs more stays open.
constexpr int kBudget = 160;
constexpr int kMaxDepth = 5;

/// Looks for a combination of known sums >= 0, with positive weights, that leaves the wanted sum >= 0 by the plain
/// bounds of its atoms (Fourier-Motzkin elimination along one path at a time).
class Search {
 public:
  explicit Search(const Facts& facts) : facts_(facts) {}

  bool run(const LinearForm& form) {
    // Short proofs first, so that the budget is not lost in one deep branch.
    for (int depth : {0, 1, 2, kMaxDepth}) {
      exhausted_ = true;
      if (nonnegative(form, depth)) return true;
      if (exhausted_ || budget_ <= 0) return false;
    }
    return false;
  }

 private:
  bool nonnegative(LinearForm form, int depth) {
    if (!form.valid) return false;
    weaken(form);
    if (bounds(form, facts_).lo >= 0) return true;
    if (depth == 0) {
      exhausted_ = false;
      return false;
    }
    for (const LinearTerm& term : form.terms) {
      if (split_cases(form, term, depth)) return true;
    }
    for (const LinearTerm& term : form.terms) {
      for (const LinearForm& fact : facts_.nonnegative()) {
        if (eliminate(form, term, fact, depth)) return true;
      }
      for (const LinearForm& fact : derived(term.atom)) {
        if (eliminate(form, term, fact, depth)) return true;
      }
    }
    return false;
  }

  /// Lowers nothing but the bar: the constant grows to the next value at which the terms' congruence makes a
  /// difference, so n - i - 8 becomes n - i - 1 where n - i is a multiple of 8.
  void weaken(LinearForm& form) const {
    if (form.terms.empty()) return;
    const Wide constant = form.constant;
    form.constant = 0;
    const Congruence terms = congruence(form, facts_);
    form.constant = constant;
    if (terms.modulus == 1) return;
    if (terms.modulus == 0) {
      form.terms.clear();
      form.constant += terms.remainder;
      return;
    }
    // terms >= -constant exactly if terms > the largest possible value below -constant.
    const Wide below = -constant - 1;
    form.constant = -(below - floor_mod(below - terms.remainder, terms.modulus)) - 1;
  }

  bool eliminate(const LinearForm& form, const LinearTerm& term, const LinearForm& fact, int depth) {
    const Wide other = fact.coefficient_of(term.atom);
    if (other == 0 || (other > 0) != (term.coefficient > 0) || budget_ <= 0) return false;
    --budget_;
    const Wide common = greatest_common_divisor(other, term.coefficient);
    const Wide sign = other > 0 ? 1 : -1;
    LinearForm rest = form.scaled(sign * other / common);
    rest.add(fact, -sign * term.coefficient / common);
    return nonnegative(std::move(rest), depth - 1);
  }

  /// A minimum from below, a maximum from above and a select are one of their operands: all must do.
  bool split_cases(const LinearForm& form, const LinearTerm& term, int depth) {
    Expr a, b;
    if (const auto* n = term.atom.as<BinaryNode>()) {
      if (n->op != (term.coefficient > 0 ? BinaryOp::kMin : BinaryOp::kMax) || !n->a.dtype().is_integral())
        return false;
      a = n->a, b = n->b;
    } else if (const auto* s = term.atom.as<SelectNode>(); s != nullptr && s->dtype.is_integral()) {
      a = s->a, b = s->b;
    } else {
      return false;
    }
    if ((budget_ -= 2) < 0) return false;
    for (const Expr& side : {a, b}) {
      LinearForm replaced = form.without(term.atom);
      replaced.add(exact_form(side, facts_), term.coefficient);
      if (!nonnegative(std::move(replaced), depth - 1)) return false;
    }
    return true;
  }

  const std::vector<LinearForm>& derived(const Expr& atom) {
    const auto [it, fresh] = derived_.try_emplace(atom);
    if (fresh) it->second = derive(atom);
    return it->second;
  }

  /// Sums >= 0 that follow from what the atom is.
  std::vector<LinearForm> derive(const Expr& atom) const {
    std::vector<LinearForm> out;
    const LinearForm self = LinearForm::of_atom(atom);
    const auto add = [&](LinearForm form, const LinearForm& minus, Wide constant = 0) {
      form.add(minus, -1);
      form.constant += constant;
      out.push_back(std::move(form));
    };
    if (!atom.dtype().is_integral()) return out;
    if (const auto* n = atom.as<BinaryNode>()) derive_binary(*n, self, add);
    add_wrapped(atom, self, add);
    return out;
  }

  template <class Add>
  void derive_binary(const BinaryNode& n, const LinearForm& self, Add& add) const {
    const LinearForm a = exact_form(n.a, facts_), b = exact_form(n.b, facts_);
    const Interval divided = bounds(n.a, facts_), by = bounds(n.b, facts_);
    switch (n.op) {
      case BinaryOp::kMin:
        add(a, self), add(b, self);
        break;
      case BinaryOp::kMax:
        add(self, a), add(self, b);
        break;
      case BinaryOp::kFloorDiv:
        if (b.is_constant() && b.constant > 0) {
          // b q <= a <= b q + b - 1
          add(a, self.scaled(b.constant)), add(self.scaled(b.constant), a, b.constant - 1);
        } else if (divided.lo >= 0 && by.lo >= 0) {
          add(a, self);
        }
        break;
      case BinaryOp::kFloorMod:
        if (divided.lo >= 0 && by.lo >= 0) add(a, self);
        if (by.lo > 0) add(b, self, -1);
        if (b.is_constant() && b.constant > 0) {
          // The remainder is a - b * (a // b).
          LinearForm difference = a;
          difference.add(exact_form(floordiv(n.a, n.b), facts_), -b.constant);
          add(difference, self), add(self, difference);
        }
        break;
      default:
        break;
    }
  }

  /// A sum or a cast that may wrap on one side only is bounded by its unwrapped value on the other.
  template <class Add>
  void add_wrapped(const Expr& atom, const LinearForm& self, Add& add) const {
    LinearForm unwrapped;
    if (const auto* n = atom.as<BinaryNode>()) {
      if (n->op != BinaryOp::kAdd && n->op != BinaryOp::kSub) return;
      unwrapped = exact_form(n->a, facts_);
      unwrapped.add(exact_form(n->b, facts_), n->op == BinaryOp::kAdd ? 1 : -1);
    } else if (const auto* c = atom.as<CastNode>(); c != nullptr && c->a.dtype().is_integral()) {
      unwrapped = exact_form(c->a, facts_);
    } else {
      return;
    }
    const Interval range = bounds(unwrapped, facts_), values = Interval::of(atom.dtype());
    if (range.lo >= values.lo) add(unwrapped, self);
    if (range.hi <= values.hi) add(self, unwrapped);
  }

  const Facts& facts_;
  int budget_ = kBudget;
  /// No branch was cut off for its depth.
  bool exhausted_ = true;
  std::unordered_map<Expr, std::vector<LinearForm>, ExprHash, ExprSame> derived_;
};

LinearForm difference(const Expr& a, const Expr& b, const Facts& facts) {
  LinearForm form = exact_form(a, facts);
  form.add(exact_form(b, facts), -1);
  return form;
}

bool greater(const Expr& a, const Expr& b, Wide by, const Facts& facts) {
  LinearForm form = difference(a, b, facts);
  form.constant -= by;
  return prove_nonnegative(form, facts);
}

std::optional<bool> prove_equal(const Expr& a, const Expr& b, const Facts& facts) {
  // Decided modulo the width first: this holds with wrap-around.
  LinearForm ring = ring_form(a);
  ring.add(ring_form(b), -1);
  if (ring.is_constant()) return floor_mod(ring.constant, Wide{1} << a.dtype().bits()) == 0;
  const LinearForm form = difference(a, b, facts);
  if (form.is_constant()) return form.constant == 0;
  if (!congruence(form, facts).contains(0) || !congruence(ring, facts).contains(0)) {
    const Congruence of_ring = congruence(ring, facts);
    if (!congruence(form, facts).contains(0)) return false;
    // The ring form is the difference modulo 2^bits only.
    const Wide period = Wide{1} << a.dtype().bits();
    if (!Congruence::of(greatest_common_divisor(of_ring.modulus, period), of_ring.remainder).contains(0)) return false;
  }
  if (greater(a, b, 1, facts) || greater(b, a, 1, facts)) return false;
  if (greater(a, b, 0, facts) && greater(b, a, 0, facts)) return true;
  return std::nullopt;
}

std::optional<bool> prove_comparison(const BinaryNode& n, const Facts& facts) {
  const auto [op, a, b] = [&]() -> std::tuple<BinaryOp, Expr, Expr> {
    // Greater than is less than, read from behind.
    if (n.op == BinaryOp::kGt || n.op == BinaryOp::kGe) return {swapped_comparison(n.op), n.b, n.a};
    return {n.op, n.a, n.b};
  }();
  switch (op) {
    case BinaryOp::kLt:
      if (greater(b, a, 1, facts)) return true;
      if (greater(a, b, 0, facts)) return false;
      return std::nullopt;
    case BinaryOp::kLe:
      if (greater(b, a, 0, facts)) return true;
      if (greater(a, b, 1, facts)) return false;
      return std::nullopt;
    case BinaryOp::kEq:
      return prove_equal(a, b, facts);
    default:
      if (const auto equal = prove_equal(a, b, facts)) return !*equal;
      return std::nullopt;
  }
}

std::optional<bool> prove_both(const BinaryNode& n, const Facts& facts, bool deciding) {
  const auto a = prove(n.a, facts);
  if (a == deciding) return deciding;
  const auto b = prove(n.b, facts);
  if (b == deciding) return deciding;
  return a && b ? std::optional(!deciding) : std::nullopt;
}

/// The condition that is true exactly where `condition` is false, if there is a plain one.
Expr opposite(const Expr& condition) {
  if (const auto* n = condition.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNot) return n->a;
  const auto* n = condition.as<BinaryNode>();
  const bool negates = n != nullptr && is_comparison(n->op) && n->a.dtype().is_integral();
  return negates ? binary(negated_comparison(n->op), n->a, n->b) : logical_not(condition);
}

std::optional<bool> known_truth(const Expr& condition, const Facts& facts) {
  if (facts.truths().empty()) return std::nullopt;
  const Expr negated = opposite(condition);
  for (const Expr& truth : facts.truths()) {
    if (same(truth, condition)) return true;
    if (same(truth, negated)) return false;
  }
  return std::nullopt;
}

}  // namespace

bool prove_nonnegative(const LinearForm& form, const Facts& facts) { return Search(facts).run(form); }

std::optional<bool> prove(const Expr& condition, const Facts& facts) {
  if (const auto value = constant_value(condition, facts)) return *value != 0;
  if (const auto truth = known_truth(condition, facts)) return truth;
  if (const auto* n = condition.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNot) {
    if (const auto inner = prove(n->a, facts)) return !*inner;
    return std::nullopt;
  }
  const auto* n = condition.as<BinaryNode>();
  if (n == nullptr) return std::nullopt;
  if (n->op == BinaryOp::kAnd) return prove_both(*n, facts, false);
  if (n->op == BinaryOp::kOr) return prove_both(*n, facts, true);
  if (is_comparison(n->op) && n->a.dtype().is_integral() && n->a.dtype().is_scalar())
    return prove_comparison(*n, facts);
  return std::nullopt;
}

}  // namespace tl
