#include "analysis/interval.h"

#include <gtest/gtest.h>

#include "analysis/divisibility.h"
#include "types/scalar.h"

namespace tl {
namespace {

/// All intervals with bounds in [-4, 4].
std::vector<Interval> small_intervals() {
  std::vector<Interval> out;
  for (int lo = -4; lo <= 4; ++lo) {
    for (int hi = lo; hi <= 4; ++hi) out.push_back({lo, hi});
  }
  return out;
}

struct OpCase {
  BinaryOp op;
  Interval (*on_intervals)(Interval, Interval);
  /// The result is the smallest interval, not just one around.
  bool tight;
};

const OpCase kCases[] = {
    {BinaryOp::kAdd, [](Interval a, Interval b) { return a + b; }, true},
    {BinaryOp::kSub, [](Interval a, Interval b) { return a - b; }, true},
    {BinaryOp::kMul, [](Interval a, Interval b) { return a * b; }, true},
    {BinaryOp::kFloorDiv, [](Interval a, Interval b) { return floor_div(a, b); }, true},
    {BinaryOp::kFloorMod, [](Interval a, Interval b) { return floor_mod(a, b); }, false},
    {BinaryOp::kTruncDiv, [](Interval a, Interval b) { return trunc_div(a, b); }, true},
    {BinaryOp::kTruncMod, [](Interval a, Interval b) { return trunc_mod(a, b); }, false},
    {BinaryOp::kMin, [](Interval a, Interval b) { return min(a, b); }, true},
    {BinaryOp::kMax, [](Interval a, Interval b) { return max(a, b); }, true},
};

TEST(Interval, CoversEveryResult) {
  for (const OpCase& c : kCases) {
    for (const Interval a : small_intervals()) {
      for (const Interval b : small_intervals()) {
        const Interval got = c.on_intervals(a, b);
        Interval true_range = {100, -100};
        for (Wide x = a.lo; x <= a.hi; ++x) {
          for (Wide y = b.lo; y <= b.hi; ++y) {
            const Scalar value = apply(c.op, Scalar::of_int(DType::i32(), static_cast<int64_t>(x)),
                                       Scalar::of_int(DType::i32(), static_cast<int64_t>(y)));
            true_range = join(true_range, Interval::point(value.as_int()));
          }
        }
        ASSERT_TRUE(got.contains(true_range)) << op_name(c.op) << " of [" << text(a.lo) << ", " << text(a.hi)
                                              << "] and [" << text(b.lo) << ", " << text(b.hi) << "]";
        if (c.tight) {
          ASSERT_EQ(got, true_range) << op_name(c.op);
        }
      }
    }
  }
}

TEST(Interval, SaturatesInsteadOfWrapping) {
  const Interval all = Interval::of(DType::u64());
  EXPECT_EQ((all * all).hi, Interval::kLimit);
  EXPECT_FALSE((all * all).bounded());
  const Interval far = all * all - Interval::point(1);
  EXPECT_EQ(far.hi, Interval::kLimit) << "what is open stays open";
  EXPECT_EQ(floor_div(far, Interval::point(64)).hi, Interval::kLimit);
  EXPECT_EQ(all.hi, (Wide{1} << 64) - 1);
  EXPECT_EQ(text(all.hi), "18446744073709551615");
  EXPECT_EQ(text(-all.hi), "-18446744073709551615");
}

TEST(Congruence, ArithmeticCoversEveryMember) {
  struct Case {
    Congruence (*f)(Congruence, Congruence);
    Wide (*g)(Wide, Wide);
  };
  const Case cases[] = {{[](Congruence a, Congruence b) { return a + b; }, [](Wide a, Wide b) { return a + b; }},
                        {[](Congruence a, Congruence b) { return a - b; }, [](Wide a, Wide b) { return a - b; }},
                        {[](Congruence a, Congruence b) { return a * b; }, [](Wide a, Wide b) { return a * b; }},
                        {[](Congruence a, Congruence b) { return join(a, b); }, [](Wide a, Wide) { return a; }},
                        {[](Congruence a, Congruence b) { return join(a, b); }, [](Wide, Wide b) { return b; }}};
  for (int m = 0; m <= 6; ++m) {
    for (int n = 0; n <= 6; ++n) {
      const Congruence a = Congruence::of(m, m / 2), b = Congruence::of(n, n / 3);
      for (Wide x = -12; x <= 12; ++x) {
        for (Wide y = -12; y <= 12; ++y) {
          if (!a.contains(x) || !b.contains(y)) continue;
          for (const Case& c : cases) ASSERT_TRUE(c.f(a, b).contains(c.g(x, y)));
          ASSERT_TRUE(x != y || meet(a, b).contains(x));
        }
      }
    }
  }
}

TEST(Congruence, MeetJoinsWhatBothSay) {
  EXPECT_EQ(meet(Congruence::of(4, 0), Congruence::of(6, 2)), Congruence::of(12, 8));
  EXPECT_EQ(meet(Congruence::of(4, 0), Congruence::of(2, 0)), Congruence::of(4, 0));
  EXPECT_TRUE(Congruence::of(12, 8).is_multiple_of(4));
  EXPECT_FALSE(Congruence::of(12, 8).is_multiple_of(8));
}

}  // namespace
}  // namespace tl
