#include <gtest/gtest.h>

#include "analysis/bounds.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/text.h"

namespace tl {
namespace {

const DType kI32 = DType::i32();
const DType kI64 = DType::i64();

Expr minus(const Expr& e) { return unary(UnaryOp::kNeg, e); }

struct Tiles : testing::Test {
  Var n{"n", kI32}, m{"m", kI32}, b{"b", kI32}, i{"i", kI32}, k{"k", kI32};
  Facts facts;
  Tiles() { facts.add_range(n, {0, Interval::of(kI32).hi}); }
};

TEST_F(Tiles, TailTileStaysInside) {
  facts.add_index(b, ceildiv(n, 64));
  facts.add_index(i, min(64, n - b * 64));
  EXPECT_EQ(prove(b * 64 + i < n, facts), true);
  EXPECT_EQ(prove(b * 64 + i >= n, facts), false);
  EXPECT_EQ(prove(b * 64 + i + 1 < n, facts), std::nullopt);
}

TEST_F(Tiles, GridOfAnOverflowingCeilingIsSoundAndUseful) {
  // n + 63 may wrap; where it does, the grid is empty.
  facts.add_index(b, floordiv(n + 63, 64));
  EXPECT_EQ(prove(b * 64 < n, facts), true);
  facts.add_index(i, 64);
  EXPECT_EQ(prove(b * 64 + i >= 0, facts), true) << "b * 64 + i does not wrap";
  EXPECT_EQ(prove(b * 64 + i < n, facts), std::nullopt);
}

TEST_F(Tiles, DividingTileNeedsNoGuard) {
  facts.add(equal(floormod(n, 64), 0));
  facts.add_index(b, floordiv(n, 64));
  facts.add_index(i, 64);
  EXPECT_EQ(prove(b * 64 + i < n, facts), true);
  EXPECT_TRUE(is_multiple_of(n - b * 64, 64, facts));
  EXPECT_EQ(print(simplify(min(64, n - b * 64), facts)), "64");
  EXPECT_EQ(print(simplify(ceildiv(n, 64) * 64, facts)), "n");
}

TEST_F(Tiles, StepsOfAVectorStayInsideAMultiple) {
  facts.add(equal(floormod(n, 8), 0));
  facts.add_loop(i, 0, n, 8);
  EXPECT_EQ(prove(i + 7 < n, facts), true);
  EXPECT_EQ(prove(i + 8 < n, facts), std::nullopt);
  EXPECT_TRUE(is_multiple_of(i * 3 + 16, 8, facts));
}

TEST_F(Tiles, CountingDown) {
  facts.add_loop(i, n - 1, -1, -1);
  EXPECT_EQ(prove(i < n, facts), true);
  EXPECT_EQ(prove(i >= 0, facts), true);
}

TEST_F(Tiles, ConditionsCombine) {
  facts.add(logical_and(b * 64 + i < n, n <= m));
  EXPECT_EQ(prove(b * 64 + i < m, facts), true) << "the same sum, though it may wrap";
  EXPECT_EQ(prove(b * 64 + i - 1 < m, facts), std::nullopt) << "another sum, which may wrap";
  facts.add_index(b, 1 << 20);
  facts.add_index(i, 64);
  facts.add(b * 64 + i < n);
  EXPECT_EQ(prove(b * 64 + i - 1 < m, facts), true);
  EXPECT_EQ(prove(logical_or(m < 0, m < n), facts), false);
}

TEST_F(Tiles, BindsAreLookedThrough) {
  Var start("start", kI64);
  facts.add_index(b, ceildiv(n, 128));
  facts.add_bind(start, cast(kI64, b) * make_int(kI64, 128));
  EXPECT_EQ(prove(start < cast(kI64, n), facts), true);
  EXPECT_TRUE(is_multiple_of(start, 128, facts));
}

TEST_F(Tiles, MemoryIsNotRemembered) {
  const Buffer buffer = make_buffer("A", kI32, {4}, MemorySpace::kGlobal);
  const Expr element = load(buffer, {0});
  facts.add(equal(element, 0));
  EXPECT_EQ(prove(equal(element, 0), facts), std::nullopt);
  facts.add_loop(i, 0, element);
  EXPECT_EQ(prove(i < element, facts), std::nullopt);
  EXPECT_EQ(prove(i < Expr(INT32_MAX), facts), true);
}

TEST_F(Tiles, UnequalByCongruence) {
  EXPECT_EQ(prove(equal(n * 2, m * 2 + 1), facts), false);
  EXPECT_EQ(prove(equal(n * 3, m * 3 + 1), facts), std::nullopt) << "3 is invertible modulo 2^32";
  EXPECT_EQ(prove(equal(n + m, m + n), facts), true);
}

TEST_F(Tiles, UnsignedDifferencesMayWrap) {
  const Var u("u", DType::u32()), v("v", DType::u32());
  EXPECT_EQ(prove(u - v >= make_int(DType::u32(), 0), facts), true);
  EXPECT_EQ(prove(u - v <= u, facts), std::nullopt);
  facts.add(v <= u);
  EXPECT_EQ(prove(u - v <= u, facts), std::nullopt) << "no bound known that keeps the difference from wrapping";
}

TEST_F(Tiles, RewindForgets) {
  const Facts::Mark mark = facts.mark();
  facts.add(n < 10);
  EXPECT_EQ(prove(n < 20, facts), true);
  facts.rewind(mark);
  EXPECT_EQ(prove(n < 20, facts), std::nullopt);
  EXPECT_EQ(bounds(n, facts).hi, Interval::of(kI32).hi);
}

TEST_F(Tiles, CeilingWithoutRoomAbove) {
  EXPECT_EQ(bounds(ceildiv(n, 64), facts).hi, Wide{1} << 25);
  EXPECT_EQ(print(simplify(minus(floordiv(minus(k * 64), 64)))), "-floordiv(k * -64, 64)");
}

TEST(Scope, FactsFollowTheProgram) {
  const auto function = parse_function(R"(func @f symbols [%n: int32] params [%A: global float32[%n]] {
  launch [%b: int32], [-floordiv(-%n, 32)], lanes=[%tx: int32], threads=[32] {
    bind %at: int32, %b * 32 + %tx
    for %k: int32, 0, 8 {
      if %at >= %n {
        continue
      } else {
        evaluate %k
      }
      store %A, [%at], 1.0
      if %k < 4 {
        break
      }
      store %A, [%k], 2.0
    }
    store %A, [%at], 3.0
  }
}
)");
  const Var n = function->symbols[0];
  std::vector<std::optional<bool>> inside;
  visit_ops(*function, [&](const Op& op, const Facts& facts) {
    const auto* store = op.as<Store>();
    if (store == nullptr) return;
    inside.push_back(prove(store->indices[0] < n, facts));
    if (inside.size() == 2) {
      EXPECT_EQ(prove(store->indices[0] >= 4, facts), true);
    }
  });
  EXPECT_EQ(inside, (std::vector<std::optional<bool>>{true, std::nullopt, std::nullopt}));
}

TEST(Scope, ARewriteSeesWhatHoldsThere) {
  auto function = parse_function(R"(func @f params [%A: global float32[8], %n: int32] {
  assume %n < 8
  for %i: int32, 0, %n {
    store %A, [%i], 1.0
  }
}
)");
  Facts facts(*function);
  int proved = 0;
  rewrite_ops(function->body, facts, [&](OpPtr op, Facts& here) {
    if (const auto* store = op->as<Store>()) proved += prove(store->indices[0] < 8, here) == true ? 1 : 0;
    Block out;
    out.push_back(std::move(op));
    return out;
  });
  EXPECT_EQ(proved, 1);
}

}  // namespace
}  // namespace tl
