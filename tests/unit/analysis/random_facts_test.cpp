// Bounds, congruences, linear forms, proofs and simplification of random expressions, against their values at random
// points.
#include <gtest/gtest.h>

#include "analysis/bounds.h"
#include "analysis/simplify.h"
#include "ir/text.h"
#include "unit/analysis/random_expr.h"

namespace tl {
namespace {

constexpr int kPoints = 24;

/// A few variables of one dtype (and one of another), with what is known of them.
struct World {
  std::vector<Domain> domains;
  Facts facts;
  DType type;

  explicit World(Random& random) : type(ExprGenerator::kTypes[random() % std::size(ExprGenerator::kTypes)]) {
    for (const char* name : {"a", "b", "c"}) domains.push_back(random_domain(name, type, random));
    domains.push_back(random_domain("d", DType::i32(), random));
    for (const Domain& d : domains) tell(facts, d);
  }

  std::string text() const {
    std::string out;
    for (const Domain& d : domains) {
      out += d.var.name() + ": " + d.var.dtype().name() + " in [" + tl::text(d.range.lo) + ", " + tl::text(d.range.hi) +
             "] step " + std::to_string(d.step) + "\n";
    }
    return out;
  }
};

Wide evaluate(const LinearForm& form, const Substitution& point) {
  Wide sum = form.constant;
  for (const LinearTerm& term : form.terms) sum += term.coefficient * value_of(substitute(term.atom, point));
  return sum;
}

TEST(RandomFacts, BoundsCongruencesAndFormsHold) {
  Random random(3);
  for (int round = 0; round < 6000; ++round) {
    World world(random);
    ExprGenerator generator(world.domains, random);
    const Expr e = generator.integer(world.type, 4);
    const Interval range = bounds(e, world.facts);
    const Congruence modular = congruence(e, world.facts);
    const LinearForm ring = ring_form(e), exact = exact_form(e, world.facts);
    const Expr back = to_expr(ring, world.type);
    for (int i = 0; i < kPoints; ++i) {
      const Substitution point = generator.point();
      const Expr constant = substitute(e, point);
      const Wide value = value_of(constant);
      const auto where = [&] { return world.text() + print(e) + " = " + text(value); };
      ASSERT_TRUE(range.contains(value)) << where() << " not in [" << text(range.lo) << ", " << text(range.hi) << "]";
      ASSERT_TRUE(modular.contains(value))
          << where() << " is not " << text(modular.remainder) << " mod " << text(modular.modulus);
      ASSERT_TRUE(same(substitute(back, point), constant)) << where() << " as a sum: " << print(back);
      ASSERT_TRUE(!exact.valid || evaluate(exact, point) == value) << where();
    }
  }
}

TEST(RandomFacts, ProofsHold) {
  Random random(4);
  int decided = 0;
  for (int round = 0; round < 6000; ++round) {
    World world(random);
    ExprGenerator generator(world.domains, random);
    const Expr assumed = generator.condition(world.type, 2);
    Facts facts = world.facts;
    facts.add(assumed);
    const Expr condition = generator.condition(world.type, 3);
    const auto proved = prove(condition, facts);
    if (!proved || condition.kind() == ExprKind::kConst) continue;
    ++decided;
    for (int i = 0; i < 4 * kPoints; ++i) {
      const Substitution point = generator.point();
      if (!is_const_int(substitute(assumed, point), 1)) continue;
      ASSERT_EQ(as_int(substitute(condition, point)), *proved ? 1 : 0)
          << world.text() << "under " << print(assumed) << "\n"
          << print(condition);
    }
  }
  EXPECT_GT(decided, 300);
}

TEST(RandomFacts, SimplifiedIsTheSame) {
  Random random(5);
  int changed = 0;
  for (int round = 0; round < 8000; ++round) {
    World world(random);
    ExprGenerator generator(world.domains, random);
    const Expr e = round % 3 == 0 ? generator.condition(world.type, 4) : generator.integer(world.type, 5);
    const Expr simple = simplify(e, world.facts);
    changed += same(simple, e) ? 0 : 1;
    for (int i = 0; i < kPoints; ++i) {
      const Substitution point = generator.point();
      ASSERT_TRUE(same(substitute(simple, point), substitute(e, point)))
          << world.text() << print(e) << "\n-> " << print(simple) << "\n"
          << print(substitute(e, point)) << " became " << print(substitute(simple, point));
    }
    ASSERT_TRUE(same(simplify(simple, world.facts), simple))
        << print(e) << "\n-> " << print(simple) << "\n-> " << print(simplify(simple, world.facts));
  }
  EXPECT_GT(changed, 4000);
}

}  // namespace
}  // namespace tl
