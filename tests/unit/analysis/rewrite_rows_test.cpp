// Every row of the rewrite tables against the arithmetic of types/scalar.h.
#include "analysis/rewrite_rows.h"

#include <gtest/gtest.h>

#include "analysis/bounds.h"
#include "ir/text.h"
#include "unit/analysis/random_expr.h"
#include "unit/types/element_types.h"

namespace tl::rewrite {
namespace {

std::string name(const Row& row) { return text(row.from) + "  ->  " + text(row.to) + "  if  " + text(row.when); }

std::vector<DType> types_of(const Row& row) {
  std::vector<DType> types;
  for (const auto& [spelling, t] : kElementTypes) {
    if ((type_bit(t) & row.types) != 0) types.push_back(t);
  }
  return types;
}

Scalar random_float(DType t, Random& random) {
  static constexpr double kValues[] = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, kInf, -kInf, kNaN, 1e-45, 65504.0};
  if (random() % 3 == 0) return Scalar::of_bits(t, random());
  return Scalar::of_float(t, kValues[random() % std::size(kValues)]);
}

Scalar random_value(DType t, Random& random, bool small) {
  if (t.is_bool()) return Scalar::boolean(random() % 2 != 0);
  if (t.is_floating()) return random_float(t, random);
  if (!small) return random_integer(t, random);
  return Scalar::of_int(t, pick(random, t.is_uint() ? 0 : -6, 12));
}

Match random_match(DType t, Random& random) {
  Match match;
  match.dtype = t;
  const bool small = random() % 3 != 0;
  for (auto* names : {&match.any, &match.constant}) {
    for (Expr& e : *names) e = make_const(random_value(t, random, small));
  }
  for (Expr& e : match.truth) e = make_bool(random() % 2 != 0);
  return match;
}

bool equal_or_nan(const Expr& a, const Expr& b) {
  const Scalar x = a.as<ConstNode>()->value, y = b.as<ConstNode>()->value;
  return x == y || (x.dtype() == y.dtype() && x.is_nan() && y.is_nan());
}

/// Conditions speak of all values; at one point the ranges are single values, so every comparison is decided.
const Decider kAtPoint = {[](const Expr& e) { return Interval::point(value_of(e)); }, nullptr};

TEST(RewriteRows, HoldForRandomOperandsOfEveryType) {
  Random random(1);
  for (const Row& row : all_rows()) {
    int held = 0;
    for (const DType t : types_of(row)) {
      // Four bits tell little that eight do not, and small constants wrap in them.
      if (t.bits() == 4) continue;
      for (int i = 0; i < 2500; ++i) {
        const Match match = random_match(t, random);
        if (!decide(row.when, match, kAtPoint)) continue;
        ++held;
        const Expr from = instantiate(row.from, match), to = instantiate(row.to, match);
        ASSERT_TRUE(equal_or_nan(from, to))
            << name(row) << "\n  " << t.name() << ": x=" << print(match.any[0]) << " y=" << print(match.any[1])
            << " z=" << print(match.any[2]) << " c0=" << print(match.constant[0]) << " c1=" << print(match.constant[1])
            << " gives " << print(from) << " and " << print(to);
      }
    }
    EXPECT_GE(held, 200) << "hardly tried: " << name(row);
  }
}

/// A row with variables for its names under facts that make its condition true.
bool fires(const Row& row, DType t, Random& random) {
  Facts facts;
  Match match;
  match.dtype = t;
  int number = 0;
  for (Expr& e : match.any) {
    const Var var("v" + std::to_string(number++), t);
    e = var;
    if (!t.is_integral()) continue;
    const int64_t lo = pick(random, t.is_uint() ? 0 : -4, 20);
    facts.add_range(var, {lo, lo + pick(random, 0, 8)});
    if (random() % 2 == 0) facts.add(equal(floormod(var, make_int(t, 4)), make_zero(t)));
  }
  for (Expr& e : match.truth) e = Var("p" + std::to_string(number++), DType::boolean());
  for (Expr& e : match.constant) e = make_const(random_value(t, random, true));
  const Decider decider = {[&](const Expr& e) { return bounds(e, facts); },
                           [&](const Expr& e) { return holds(e, facts); }};
  const Expr from = instantiate(row.from, match);
  Match found;
  return matches(row.from, from, found) && decide(row.when, found, decider) && !same(apply_rows(from, decider), from);
}

TEST(RewriteRows, EachIsReached) {
  Random random(2);
  for (const Row& row : all_rows()) {
    const std::vector<DType> types = types_of(row);
    ASSERT_FALSE(types.empty()) << name(row);
    bool fired = false;
    for (int i = 0; i < 4000 && !fired; ++i) {
      const DType t = types[random() % types.size()];
      fired = t.bits() != 4 && fires(row, t, random);
    }
    EXPECT_TRUE(fired) << "never applied: " << name(row);
  }
}

TEST(RewriteRows, OperandsMatchInBothOrders) {
  const Var x("x", DType::i32()), y("y", DType::i32());
  const Decider decider = {[](const Expr& e) { return bounds(e, Facts()); }, nullptr};
  EXPECT_EQ(print(apply_rows(max(y, min(y, x)), decider)), "y");
  EXPECT_EQ(print(apply_rows(max(min(x, y), y), decider)), "y");
  EXPECT_EQ(print(apply_rows(floormod(y + x * 8, 8), decider)), "floormod(y, 8)");
}

TEST(RewriteRows, AWrappingProductIsNotDivided) {
  const Var x("x", DType::i32());
  const Decider decider = {[](const Expr& e) { return bounds(e, Facts()); }, nullptr};
  const Expr e = floordiv(x * 6, 3);
  EXPECT_EQ(apply_rows(e, decider).get(), e.get());
}

}  // namespace
}  // namespace tl::rewrite
