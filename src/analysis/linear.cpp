#include "analysis/linear.h"

#include <algorithm>

#include "analysis/bounds.h"

namespace tl {
namespace {

/// Coefficients beyond this make a form invalid long before 128 bits overflow.
constexpr Wide kMaxCoefficient = Wide{1} << 100;

bool too_large(Wide v) { return v > kMaxCoefficient || v < -kMaxCoefficient; }

Wide checked_product(Wide a, Wide b, bool& valid) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product) || too_large(product)) valid = false;
  return valid ? product : 0;
}

/// The representative of `value` modulo 2^bits that is nearest to 0.
Wide symmetric(Wide value, int bits) {
  const Wide period = Wide{1} << bits;
  const Wide r = floor_mod(value, period);
  return r >= period / 2 ? r - period : r;
}

void reduce(LinearForm& form, int bits) {
  for (LinearTerm& term : form.terms) term.coefficient = symmetric(term.coefficient, bits);
  std::erase_if(form.terms, [](const LinearTerm& term) { return term.coefficient == 0; });
  form.constant = symmetric(form.constant, bits);
}

/// `form * factor` modulo 2^bits. Both are reduced already, so no product leaves the 128 bits.
LinearForm ring_product(LinearForm form, Wide factor, int bits) {
  for (LinearTerm& term : form.terms) term.coefficient = symmetric(term.coefficient * factor, bits);
  form.constant = symmetric(form.constant * factor, bits);
  return form;
}

Wide value_of(const ConstNode& c) {
  return c.dtype.is_uint() ? static_cast<Wide>(c.value.as_uint()) : Wide{c.value.as_int()};
}

/// Builds ring forms; looks through casts and binds where there are facts.
class RingBuilder {
 public:
  explicit RingBuilder(const Facts* facts) : facts_(facts) {}

  LinearForm form(const Expr& e) const {
    LinearForm out = unreduced(e);
    reduce(out, e.dtype().bits());
    return out;
  }

 private:
  LinearForm unreduced(const Expr& e) const {
    if (const auto* c = e.as<ConstNode>()) return LinearForm::of_constant(value_of(*c));
    if (const auto* n = e.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNeg) return form(n->a).scaled(-1);
    if (const auto* n = e.as<BinaryNode>()) return binary(e, *n);
    return atom(e);
  }

  LinearForm binary(const Expr& e, const BinaryNode& n) const {
    switch (n.op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub: {
        LinearForm sum = form(n.a);
        sum.add(form(n.b), n.op == BinaryOp::kAdd ? 1 : -1);
        return sum;
      }
      case BinaryOp::kMul: {
        const LinearForm a = form(n.a), b = form(n.b);
        const int bits = e.dtype().bits();
        if (b.is_constant()) return ring_product(a, b.constant, bits);
        return a.is_constant() ? ring_product(b, a.constant, bits) : atom(e);
      }
      case BinaryOp::kShl: {
        const auto count = as_int(n.b);
        const bool in_range = count && *count >= 0 && *count < e.dtype().bits();
        return in_range ? ring_product(form(n.a), Wide{1} << *count, e.dtype().bits()) : atom(e);
      }
      default:
        return atom(e);
    }
  }

  LinearForm atom(const Expr& e) const {
    if (facts_ == nullptr) return LinearForm::of_atom(e);
    if (const auto* n = e.as<CastNode>(); n != nullptr && (n->a.dtype().is_integral() || n->a.dtype().is_bool())) {
      if (Interval::of(e.dtype()).contains(tl::bounds(n->a, *facts_))) return exact_form(n->a, *facts_);
    }
    if (e.kind() == ExprKind::kVar) {
      const Facts::Entry* entry = facts_->find(e);
      if (entry != nullptr && entry->value) return exact_form(entry->value, *facts_);
    }
    return LinearForm::of_atom(e);
  }

  const Facts* facts_;
};

}  // namespace

void LinearForm::add_term(const Expr& atom, Wide coefficient) {
  const auto it = std::find_if(terms.begin(), terms.end(), [&](const LinearTerm& t) { return same(t.atom, atom); });
  if (it == terms.end()) {
    if (coefficient != 0) terms.push_back({atom, coefficient});
    return;
  }
  it->coefficient += coefficient;
  valid = valid && !too_large(it->coefficient);
  if (it->coefficient == 0) terms.erase(it);
}

void LinearForm::add(const LinearForm& other, Wide factor) {
  valid = valid && other.valid;
  for (const LinearTerm& term : other.terms) add_term(term.atom, checked_product(term.coefficient, factor, valid));
  constant += checked_product(other.constant, factor, valid);
  valid = valid && !too_large(constant);
}

LinearForm LinearForm::scaled(Wide factor) const {
  LinearForm out;
  out.add(*this, factor);
  return out;
}

Wide LinearForm::coefficient_of(const Expr& atom) const {
  for (const LinearTerm& term : terms) {
    if (same(term.atom, atom)) return term.coefficient;
  }
  return 0;
}

LinearForm LinearForm::without(const Expr& atom) const {
  LinearForm out = *this;
  std::erase_if(out.terms, [&](const LinearTerm& term) { return same(term.atom, atom); });
  return out;
}

LinearForm ring_form(const Expr& e) { return RingBuilder(nullptr).form(e); }

Expr to_expr(const LinearForm& form, DType dtype) {
  const auto constant = [&](Wide value) { return make_int(dtype, static_cast<int64_t>(value)); };
  const auto product = [&](const Expr& atom, Wide factor) { return factor == 1 ? atom : atom * constant(factor); };
  // A sum that starts with a positive term needs no negation.
  Expr sum;
  for (const LinearTerm& term : form.terms) {
    if (term.coefficient > 0)
      sum = sum ? sum + product(term.atom, term.coefficient) : product(term.atom, term.coefficient);
  }
  if (!sum && form.constant > 0) sum = constant(form.constant);
  const bool constant_used = sum && sum.kind() == ExprKind::kConst;
  for (const LinearTerm& term : form.terms) {
    if (term.coefficient > 0) continue;
    if (!sum) {
      sum = term.coefficient == -1 ? unary(UnaryOp::kNeg, term.atom) : product(term.atom, term.coefficient);
    } else {
      sum = sum - product(term.atom, -term.coefficient);
    }
  }
  if (!sum) return constant(form.constant);
  if (constant_used || form.constant == 0) return sum;
  return form.constant > 0 ? sum + constant(form.constant) : sum - constant(-form.constant);
}

std::optional<LinearForm> fit(LinearForm form, DType dtype, const Facts& facts) {
  if (!form.valid) return std::nullopt;
  const Interval range = bounds(form, facts), values = Interval::of(dtype);
  if (!range.bounded()) return std::nullopt;
  // A sum congruent to the value and inside the dtype's range is the value.
  const Wide period = Wide{1} << dtype.bits();
  const Wide shift = -floor_div(range.lo - values.lo, period) * period;
  if (!values.contains(range + Interval::point(shift))) return std::nullopt;
  form.constant += shift;
  return form;
}

LinearForm exact_form(const Expr& e, const Facts& facts) {
  if (const auto* c = e.as<ConstNode>()) return LinearForm::of_constant(value_of(*c));
  if (!e.dtype().is_integral()) return LinearForm::of_atom(e);
  return fit(RingBuilder(&facts).form(e), e.dtype(), facts).value_or(LinearForm::of_atom(e));
}

Interval bounds(const LinearForm& form, const Facts& facts) {
  if (!form.valid) return Interval::everything();
  Interval sum = Interval::point(form.constant);
  for (const LinearTerm& term : form.terms) {
    sum = sum + bounds(term.atom, facts) * Interval::point(term.coefficient);
  }
  return sum;
}

SplitForm split_by(const LinearForm& form, Wide scale) {
  SplitForm out;
  out.multiple.valid = out.rest.valid = form.valid;
  for (const LinearTerm& term : form.terms) {
    const bool whole = term.coefficient % scale == 0;
    (whole ? out.multiple : out.rest).terms.push_back({term.atom, whole ? term.coefficient / scale : term.coefficient});
  }
  out.multiple.constant = floor_div(form.constant, scale);
  out.rest.constant = floor_mod(form.constant, scale);
  return out;
}

Expr unwidened(const Expr& atom) {
  const auto* n = atom.as<CastNode>();
  if (n == nullptr || !n->a.dtype().is_integral() || !atom.dtype().is_integral()) return atom;
  const Interval from = Interval::of(n->a.dtype()), to = Interval::of(atom.dtype());
  return to.lo <= from.lo && from.hi <= to.hi ? n->a : atom;
}

}  // namespace tl
