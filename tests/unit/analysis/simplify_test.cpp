#include "analysis/simplify.h"

#include <gtest/gtest.h>

#include "analysis/bounds.h"
#include "analysis/simplify_steps.h"
#include "ir/intrinsics.h"
#include "ir/text.h"
#include "unit/analysis/random_expr.h"
#include "unit/types/element_types.h"

namespace tl {
namespace {

const DType kI32 = DType::i32();

struct Simplified : testing::Test {
  Var i{"i", kI32}, j{"j", kI32}, n{"n", kI32};
  Facts facts;
  Simplified() {
    facts.add_index(i, 64);
    facts.add_index(j, 8);
    facts.add_range(n, {0, Interval::of(kI32).hi});
  }
  std::string text(const Expr& e) { return print(simplify(e, facts)); }
};

TEST_F(Simplified, IndexArithmeticOfSplitLoops) {
  EXPECT_EQ(text(floordiv(i * 8 + j, 8)), "i");
  EXPECT_EQ(text(floormod(i * 8 + j, 8)), "j");
  EXPECT_EQ(text(floordiv(i * 8 + j, 64)), "floordiv(i, 8)");
  EXPECT_EQ(text(floormod(i * 8 + j, 64)), "floormod(i, 8) * 8 + j");
  EXPECT_EQ(text(floordiv(i * 64 + j * 8 + 7, 8)), "i * 8 + j");
  EXPECT_EQ(text(floormod(floormod(i, 64), 7)), "floormod(i, 7)");
  EXPECT_EQ(text(floormod(floormod(n, 64), 7)), "floormod(floormod(n, 64), 7)");
  EXPECT_EQ(text(floordiv(i, 64) + floordiv(i + 64, 64)), "1");
}

TEST_F(Simplified, SumsCollectTerms) {
  EXPECT_EQ(text((i + 1) * 128 - i * 128), "128");
  EXPECT_EQ(text(i * 2 + j + i * 3 - j), "i * 5");
  EXPECT_EQ(text(3 + n), "n + 3");
  EXPECT_EQ(text(n - (n - j)), "j");
}

TEST_F(Simplified, SelectsKnowTheirCondition) {
  EXPECT_EQ(text(select(i < 8, select(i < 16, i, 0), floordiv(i, 64))), "select(i < 8, i, 0)");
  EXPECT_EQ(text(logical_and(i < 10, i < 20)), "i < 10");
  EXPECT_EQ(text(logical_or(i < 10, i >= 10)), "true");
  EXPECT_EQ(text(select(i < n, i, n)), "min(i, n)");
}

TEST_F(Simplified, FloatsKeepWhatIeeeSays) {
  const Var x("x", DType::f32());
  const auto f = [](double v) { return make_float(DType::f32(), v); };
  for (const Expr& e :
       {x * f(0), x - x, x + f(0), (x + f(1)) + f(2), x * f(2) * f(0.5), binary(BinaryOp::kDiv, x, x)}) {
    EXPECT_EQ(simplify(e, facts).get(), e.get()) << print(e);
  }
  EXPECT_EQ(text(x * f(1)), "x");
  EXPECT_EQ(text(x + f(-0.0)), "x");
  EXPECT_EQ(text(equal(x, x)), "x == x");
  EXPECT_EQ(text(logical_not(x < f(1))), "!(x < 1.0:float32)");
  for (const auto op : {BinaryOp::kMin, BinaryOp::kMax}) {
    EXPECT_EQ(text(binary(op, f(kNaN), f(1))), "nan:float32");
    EXPECT_EQ(text(binary(op, f(1), f(kNaN))), "nan:float32");
  }
}

TEST_F(Simplified, FunctionsFoldWhereEveryTargetAgrees) {
  const auto on = [](MathFn fn, double v) {
    return call(DType::f32(), intrinsic_of(fn), {make_float(DType::f32(), v)});
  };
  EXPECT_EQ(text(on(MathFn::kFloor, 2.5)), "2.0:float32");
  EXPECT_EQ(text(on(MathFn::kExp, 1)), "exp(1.0:float32)");
}

TEST_F(Simplified, EffectsStay) {
  const Expr effect = call(kI32, find_intrinsic("extern"), {make_string("f"), i + 0});
  EXPECT_EQ(text(effect * 0 + floordiv(i * 8 + j, 8)), "extern:int32(\"f\", i) * 0 + i");
}

TEST_F(Simplified, LargeUnsignedConstants) {
  const DType u64 = DType::u64();
  const Var u("u", u64);
  const Expr top = make_const(Scalar::of_uint(u64, ~uint64_t{0}));
  EXPECT_EQ(text(u <= top), "true");
  EXPECT_EQ(text(u + top + make_int(u64, 1)), "u");
  EXPECT_EQ(text(u < make_int(u64, 0)), "false");
}

/// A value of `t` of any kind.
Scalar any_value(DType t, Random& random) {
  if (t.is_bool()) return Scalar::boolean(random() % 2 != 0);
  if (t.is_integral()) return random_integer(t, random);
  return random() % 2 != 0 ? Scalar::of_bits(t, random())
                           : Scalar::of_float(t, static_cast<double>(pick(random, -300, 300)));
}

TEST(Casts, DroppingOneKeepsTheValueForEveryThreeTypes) {
  Random random(6);
  int dropped = 0;
  for (const auto& [from_name, from] : kElementTypes) {
    for (const auto& [by_name, by] : kElementTypes) {
      for (const auto& [to_name, to] : kElementTypes) {
        const Var x("x", from);
        const Expr e = cast(to, cast(by, x)), simple = drop_casts(e, Facts());
        if (same(simple, e)) continue;
        ++dropped;
        for (int i = 0; i < 60; ++i) {
          const Scalar value = any_value(from, random);
          const Substitution point{{{x.get(), make_const(value)}}, {}};
          const Scalar wanted = substitute(e, point).as<ConstNode>()->value;
          const Scalar got = substitute(simple, point).as<ConstNode>()->value;
          ASSERT_TRUE(wanted == got || (wanted.is_nan() && got.is_nan()))
              << from_name << " " << value.text() << " by " << by_name << " to " << to_name << ": " << wanted.text()
              << " became " << got.text();
        }
      }
    }
  }
  EXPECT_GT(dropped, 1000);
}

TEST(Casts, BoundsMakeThemKeepTheValue) {
  const Var x("x", kI32);
  Facts facts;
  facts.add_index(x, 100);
  EXPECT_EQ(print(simplify(cast(kI32, cast(DType::i8(), x)), facts)), "x");
  EXPECT_EQ(print(simplify(cast(kI32, cast(DType::i8(), x + 100)), facts)), "cast(int32, cast(int8, x + 100))");
  EXPECT_EQ(print(simplify(cast(kI32, cast(DType::f16(), x)), facts)), "x");
  EXPECT_EQ(print(simplify(cast(kI32, cast(DType::f16(), x * 100)), facts)), "cast(int32, cast(float16, x * 100))");
}

}  // namespace
}  // namespace tl
