#include "driver/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/text.h"

namespace tl {
namespace {

using Kind = Agreement::Kind;

/// The agreement of the parameter %O, the first one.
Agreement of_output(const std::string& body, AgreementOptions options = {}) {
  const auto f = parse_function(
      "func @f params [%O: global float32[8], %A: global float32[8], %H: global float16[8]] { launch [], [] { " + body +
      " } }");
  return agreements_of(*f, options)[0];
}

TEST(Agreement, OperatorsAreExact) {
  EXPECT_EQ(of_output("store %O, [0], %A[0] / %A[1] + sqrt(floor(%A[2]))").kind, Kind::kExact);
  EXPECT_EQ(of_output("tile.copy src=%H[0 :+ 8], dst=%O[0 :+ 8]").kind, Kind::kExact);
}

TEST(Agreement, AFunctionStraightIntoATensorHasItsAccuracy) {
  const Agreement a = of_output("store %O, [0], exp(%A[0] * 2.0)");
  EXPECT_EQ(a, (Agreement{Kind::kUlp, max_ulp(MathFn::kExp, DType::f32())}));
  // Copies, names and choices between exact conditions keep it.
  EXPECT_EQ(of_output("alloc %s: shared float32[8] bind %e: float32, exp(%A[0]) "
                      "store %s, [0], select(%A[1] < 0.0, %e, %A[2]) tile.copy src=%s[0 :+ 8], dst=%O[0 :+ 8]"),
            a);
}

TEST(Agreement, WhatIsComputedFromInexactValuesIsLoose) {
  for (const char* body :
       {"store %O, [0], exp(%A[0]) + 1.0", "store %O, [0], exp(exp(%A[0]))", "store %O, [cast(int32, exp(%A[0]))], 1.0",
        "if exp(%A[0]) < 2.0 { store %O, [0], 1.0 }", "store %O, [0], select(exp(%A[0]) < 2.0, 1.0, 2.0)",
        "alloc %h: shared float16[8] store %h, [0], exp(%H[0]) tile.copy src=%h[0 :+ 8], dst=%O[0 :+ 8]",
        "store %A, [0], exp(%A[0]) for %i: int32, 0, cast(int32, %A[0]) { store %O, [0], 1.0 }",
        "alloc %s: shared float32[8] view %v: shared float32[2, 4], %s store %v, [0, 0], exp(%A[0]) "
        "store %O, [0], %s[0] * 2.0"}) {
    EXPECT_EQ(of_output(body).kind, Kind::kLoose) << body;
  }
}

TEST(Agreement, SumsAreExactWhereThatIsPromised) {
  const char* body =
      "alloc %s: shared float32[8] tile.copy src=%A[0 :+ 8], dst=%s[0 :+ 8] alloc %r: fragment float32[1] "
      "tile.reduce sum, src=%s[0 :+ 8], dst=%r[0 :+ 1], 0 tile.copy src=%r[0 :+ 1], dst=%O[0 :+ 1]";
  EXPECT_EQ(of_output(body).kind, Kind::kLoose);
  EXPECT_EQ(of_output(body, {.exact_sums = true}).kind, Kind::kExact);
}

bool agree(double a, double b, Agreement agreement, double largest = 1, DType t = DType::f32()) {
  return tl::agree(Scalar::of_float(t, a), Scalar::of_float(t, b), agreement, largest);
}

TEST(Agreement, ExactIsBitByBit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(agree(nan, -nan, {}));
  EXPECT_FALSE(agree(nan, 1, {}));
  EXPECT_FALSE(agree(0.0, -0.0, {}));
  EXPECT_FALSE(agree(1, std::nextafterf(1, 2), {}));
  EXPECT_FALSE(tl::agree(Scalar::of_int(DType::i32(), 1), Scalar::of_int(DType::i32(), 2), {Kind::kLoose, 0}, 100));
}

TEST(Agreement, UlpsAreCountedFromNumberToNumber) {
  const Agreement two{Kind::kUlp, 2};
  const float next = std::nextafterf(std::nextafterf(1, 2), 2);
  EXPECT_TRUE(agree(1, next, two));
  EXPECT_FALSE(agree(1, std::nextafterf(next, 2), two));
  const double tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(agree(-tiny, tiny, two));
  EXPECT_FALSE(agree(-tiny, 2 * tiny, two));
  EXPECT_FALSE(agree(std::numeric_limits<double>::quiet_NaN(), 1, two));
  EXPECT_TRUE(agree(1, 1 + 2 * 0x1p-10, two, 1, DType::f16()));
  EXPECT_FALSE(agree(1, 1 + 3 * 0x1p-10, two, 1, DType::f16()));
}

TEST(Agreement, LooseIsRelativeToTheLargestElement) {
  const Agreement loose{Kind::kLoose, 0};
  EXPECT_TRUE(agree(1, 1.0001, loose, 1000));
  EXPECT_FALSE(agree(1, 1.0001, loose, 1));
}

}  // namespace
}  // namespace tl
