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

/// What a place inside a loop and an `if` knows: besides a world, a counter between two expressions and a condition.
struct Place {
  World world;
  Var counter;
  Expr begin, end, condition;
  int64_t step;

  explicit Place(Random& random) : world(random), counter("i", world.type), step(pick(random, 1, 4)) {
    ExprGenerator generator(world.domains, random);
    if (world.type.is_int() && random() % 4 == 0) step = -step;
    begin = random() % 2 != 0 ? make_zero(world.type) : generator.integer(world.type, 1);
    end = generator.integer(world.type, 2);
    world.facts.add_loop(counter, begin, end, make_int(world.type, step));
    world.domains.push_back({counter, Interval::point(0), 1});
    condition = random() % 3 == 0 ? make_bool(true) : ExprGenerator(world.domains, random).condition(world.type, 2);
    world.facts.add(condition);
  }

  /// A point that reaches the place, if one turns up.
  std::optional<Substitution> point(ExprGenerator& generator, Random& random) const {
    Substitution point = generator.point();
    const Wide first = value_of(substitute(begin, point)), limit = value_of(substitute(end, point));
    const Wide trips =
        step > 0 ? floor_div(limit - first + step - 1, step) : floor_div(first - limit - step - 1, -step);
    if (trips <= 0) return std::nullopt;
    const Wide trip = random() % 3 == 0 ? trips - 1 : static_cast<Wide>(random()) % trips;
    point.vars[counter.get()] = make_int(world.type, static_cast<int64_t>(first + trip * step));
    if (!is_const_int(substitute(condition, point), 1)) return std::nullopt;
    return point;
  }

  std::string text() const {
    return world.text() + "for i in " + print(begin) + " .. " + print(end) + " step " + std::to_string(step) + " if " +
           print(condition) + "\n";
  }
};

TEST(RandomFacts, ProofsHold) {
  Random random(4);
  int decided = 0, reached = 0;
  for (int round = 0; round < 6000; ++round) {
    const Place place(random);
    ExprGenerator generator(place.world.domains, random);
    const Expr condition = generator.condition(place.world.type, 3);
    const auto proved = prove(condition, place.world.facts);
    if (!proved || condition.kind() == ExprKind::kConst) continue;
    ++decided;
    for (int i = 0; i < 2 * kPoints; ++i) {
      const auto point = place.point(generator, random);
      if (!point) continue;
      ++reached;
      ASSERT_EQ(as_int(substitute(condition, *point)), *proved ? 1 : 0) << place.text() << print(condition);
    }
  }
  EXPECT_GT(decided, 300);
  EXPECT_GT(reached, 3000);
}

TEST(RandomFacts, SimplifiedIsTheSame) {
  Random random(5);
  int changed = 0, reached = 0;
  for (int round = 0; round < 8000; ++round) {
    const Place place(random);
    const Facts& facts = place.world.facts;
    ExprGenerator generator(place.world.domains, random);
    const Expr e = round % 3 == 0 ? generator.condition(place.world.type, 4) : generator.integer(place.world.type, 5);
    const Expr simple = simplify(e, facts);
    changed += same(simple, e) ? 0 : 1;
    for (int i = 0; i < kPoints; ++i) {
      const auto point = place.point(generator, random);
      if (!point) continue;
      ++reached;
      ASSERT_TRUE(same(substitute(simple, *point), substitute(e, *point)))
          << place.text() << print(e) << "\n-> " << print(simple) << "\n"
          << print(substitute(e, *point)) << " became " << print(substitute(simple, *point));
    }
    ASSERT_TRUE(same(simplify(simple, facts), simple))
        << place.text() << print(e) << "\n-> " << print(simple) << "\n-> " << print(simplify(simple, facts));
  }
  EXPECT_GT(changed, 4000);
  EXPECT_GT(reached, 20000);
}

}  // namespace
}  // namespace tl
