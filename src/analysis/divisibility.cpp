#include "analysis/divisibility.h"

#include "analysis/bounds.h"

namespace tl {
namespace {

/// Beyond this a modulus is of no use and products of two could leave the 128 bits.
constexpr Wide kMaxModulus = Wide{1} << 62;

Wide magnitude(Wide v) { return v < 0 ? -v : v; }

/// What wrap-around to the dtype leaves of a fact about the unwrapped value in `range`.
Congruence wrapped(Congruence c, Interval range, DType t) {
  if (Interval::of(t).contains(range)) return c;
  return Congruence::of(greatest_common_divisor(c.modulus, Wide{1} << t.bits()), c.remainder);
}

Congruence quotient(Congruence a, Congruence b) {
  const bool divides = b.modulus == 0 && b.remainder > 0 && a.modulus % b.remainder == 0;
  if (!divides) return Congruence::anything();
  return Congruence::of(a.modulus / b.remainder, floor_div(a.remainder, b.remainder));
}

Congruence remainder(Congruence a, Congruence b) {
  if (b.modulus != 0 || b.remainder <= 0) return Congruence::anything();
  if (a.modulus == 0) return Congruence::constant(floor_mod(a.remainder, b.remainder));
  // x mod c = x - k * c.
  const Wide common = greatest_common_divisor(a.modulus, b.remainder);
  return common == b.remainder ? Congruence::constant(floor_mod(a.remainder, common))
                               : Congruence::of(common, a.remainder);
}

Congruence of_binary(const BinaryNode& n, const Facts& facts) {
  const DType t = n.dtype;
  const Congruence a = congruence(n.a, facts), b = congruence(n.b, facts);
  const auto range = [&](auto f) { return f(bounds(n.a, facts), bounds(n.b, facts)); };
  switch (n.op) {
    case BinaryOp::kAdd:
      return wrapped(a + b, range([](Interval x, Interval y) { return x + y; }), t);
    case BinaryOp::kSub:
      return wrapped(a - b, range([](Interval x, Interval y) { return x - y; }), t);
    case BinaryOp::kMul:
      return wrapped(a * b, range([](Interval x, Interval y) { return x * y; }), t);
    case BinaryOp::kShl: {
      const auto count = constant_value(n.b, facts);
      if (!count || *count < 0 || *count >= t.bits()) return Congruence::anything();
      const Wide factor = Wide{1} << *count;
      return wrapped(a * Congruence::constant(factor), bounds(n.a, facts) * Interval::point(factor), t);
    }
    case BinaryOp::kFloorDiv:
      return quotient(a, b);
    case BinaryOp::kFloorMod:
      return remainder(a, b);
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return join(a, b);
    default:
      return Congruence::anything();
  }
}

Congruence of_node(const Expr& e, const Facts& facts) {
  if (const auto* n = e.as<BinaryNode>()) {
    return n->a.dtype().is_integral() && e.dtype().is_integral() ? of_binary(*n, facts) : Congruence::anything();
  }
  if (const auto* n = e.as<UnaryNode>(); n != nullptr && n->op == UnaryOp::kNeg) {
    return wrapped(Congruence::constant(0) - congruence(n->a, facts), -bounds(n->a, facts), e.dtype());
  }
  if (const auto* n = e.as<SelectNode>()) return join(congruence(n->a, facts), congruence(n->b, facts));
  const auto* n = e.as<CastNode>();
  if (n != nullptr && e.dtype().is_integral() && n->a.dtype().is_integral()) {
    return wrapped(congruence(n->a, facts), bounds(n->a, facts), e.dtype());
  }
  return Congruence::anything();
}

}  // namespace

Congruence Congruence::of(Wide modulus, Wide remainder) {
  if (modulus < 0) modulus = -modulus;
  if (modulus == 0) return constant(remainder);
  // A power of two survives: facts about alignment matter most.
  while (modulus > kMaxModulus) modulus = modulus % 2 == 0 ? modulus / 2 : 1;
  return {modulus, floor_mod(remainder, modulus)};
}

bool Congruence::contains(Wide value) const {
  return modulus == 0 ? value == remainder : floor_mod(value, modulus) == remainder;
}

bool Congruence::is_multiple_of(Wide n) const { return modulus % n == 0 && floor_mod(remainder, n) == 0; }

Congruence operator+(Congruence a, Congruence b) {
  return Congruence::of(greatest_common_divisor(a.modulus, b.modulus), a.remainder + b.remainder);
}

Congruence operator-(Congruence a, Congruence b) {
  return Congruence::of(greatest_common_divisor(a.modulus, b.modulus), a.remainder - b.remainder);
}

Congruence operator*(Congruence a, Congruence b) {
  // (m k + r)(n l + s) = m n k l + m s k + n r l + r s.
  for (const Congruence& c : {a, b}) {
    if (c.modulus > kMaxModulus || magnitude(c.remainder) > kMaxModulus) return Congruence::anything();
  }
  const Wide m = greatest_common_divisor(greatest_common_divisor(a.modulus * b.modulus, a.modulus * b.remainder),
                                         b.modulus * a.remainder);
  return Congruence::of(m, a.remainder * b.remainder);
}

Congruence join(Congruence a, Congruence b) {
  const Wide m = greatest_common_divisor(greatest_common_divisor(a.modulus, b.modulus), a.remainder - b.remainder);
  return Congruence::of(m, a.remainder);
}

Congruence meet(Congruence a, Congruence b) {
  if (a.modulus == 0 || b.modulus == 1) return a;
  if (b.modulus == 0 || a.modulus == 1) return b;
  if (a.modulus % b.modulus == 0) return a;
  if (b.modulus % a.modulus == 0) return b;
  // Two moduli without a common divisor: the remainder of their product, by search over the few candidates.
  const Wide common = greatest_common_divisor(a.modulus, b.modulus);
  if (floor_mod(a.remainder - b.remainder, common) != 0 || b.modulus / common > 4096) return a;
  Wide r = a.remainder;
  while (floor_mod(r, b.modulus) != b.remainder) r += a.modulus;
  return a.modulus > kMaxModulus / b.modulus ? a : Congruence::of(a.modulus / common * b.modulus, r);
}

Congruence congruence(const Expr& e, const Facts& facts) {
  if (const auto value = as_int(e)) {
    return Congruence::constant(e.dtype().is_uint() ? static_cast<Wide>(static_cast<uint64_t>(*value)) : *value);
  }
  const Congruence own = of_node(e, facts);
  const Facts::Entry* entry = facts.find(e);
  if (entry == nullptr) return own;
  const Congruence known = meet(own, entry->congruence);
  return entry->value ? meet(known, congruence(entry->value, facts)) : known;
}

Congruence congruence(const LinearForm& form, const Facts& facts) {
  if (!form.valid) return Congruence::anything();
  Congruence sum = Congruence::constant(form.constant);
  for (const LinearTerm& term : form.terms) {
    sum = sum + Congruence::constant(term.coefficient) * congruence(term.atom, facts);
  }
  return sum;
}

bool is_multiple_of(const Expr& e, int64_t n, const Facts& facts) {
  return congruence(e, facts).is_multiple_of(n) || congruence(exact_form(e, facts), facts).is_multiple_of(n);
}

}  // namespace tl
