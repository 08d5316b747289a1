#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "types/scalar.h"
#include "unit/types/element_types.h"

namespace tl {
namespace {

Scalar f32(double value) { return Scalar::of_float(DType::f32(), value); }

template <class Float>
Float native(BinaryOp op, Float x, Float y) {
  switch (op) {
    case BinaryOp::kAdd:
      return x + y;
    case BinaryOp::kSub:
      return x - y;
    case BinaryOp::kMul:
      return x * y;
    default:
      return x / y;
  }
}

constexpr BinaryOp kRounded[] = {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv};

TEST(FloatArithmeticTest, Float64IsTheMachines) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 50000; ++i) {
    const double x = std::bit_cast<double>(random()), y = std::bit_cast<double>(random());
    for (const BinaryOp op : kRounded) {
      const double expected = native(op, x, y);
      const Scalar result = apply(op, Scalar::of_float(DType::f64(), x), Scalar::of_float(DType::f64(), y));
      ASSERT_EQ(result.to_bits(), std::isnan(expected) ? 0x7FF8000000000000u : std::bit_cast<uint64_t>(expected));
    }
  }
}

/// float32 and everything narrower: one operation in float32, then one rounding. A float64 operation rounded to float32
/// is the float32 operation (53 >= 2 * 24 + 2), so it serves as an independent reference.
TEST(FloatArithmeticTest, NarrowFloatsComputeInFloat32) {
  std::mt19937_64 random(11);
  for (const DType t : float_types()) {
    if (t.is_float(64)) continue;
    for (int i = 0; i < 20000; ++i) {
      const Scalar x = Scalar::of_bits(t, random()), y = Scalar::of_bits(t, random());
      for (const BinaryOp op : kRounded) {
        const double wide = round_to_float(DType::f32(), native(op, x.as_float(), y.as_float()));
        const Scalar expected = Scalar::of_float(t, std::isnan(wide) ? kNaN : wide);
        ASSERT_EQ(apply(op, x, y), expected) << x.text() << " " << op_name(op) << " " << y.text() << " " << t.name();
      }
    }
  }
}

TEST(FloatArithmeticTest, NoContraction) {
  const double x = 1 + 0x1p-27;
  const Scalar s = Scalar::of_float(DType::f64(), x);
  const Scalar product = apply(BinaryOp::kMul, s, s);
  EXPECT_EQ(apply(BinaryOp::kSub, product, Scalar::of_float(DType::f64(), 1 + 0x1p-26)).as_float(), 0.0);
}

TEST(FloatArithmeticTest, NothingFoldsAwayNaN) {
  for (const double value : {kInf, -kInf, kNaN}) {
    EXPECT_TRUE(apply(BinaryOp::kMul, f32(value), f32(0)).is_nan());
    EXPECT_TRUE(apply(BinaryOp::kSub, f32(value), f32(value)).is_nan());
  }
}

TEST(FloatArithmeticTest, MinimumAndMaximumDoNotDependOnTheOrder) {
  const double values[] = {kNaN, -kInf, -1, -0.0, 0.0, 1, kInf};
  for (const DType t : float_types()) {
    const FloatFormat& f = float_format(t);
    for (const double a : values) {
      for (const double b : values) {
        const Scalar x = Scalar::of_float(t, a), y = Scalar::of_float(t, b);
        const Scalar low = apply(BinaryOp::kMin, x, y), high = apply(BinaryOp::kMax, x, y);
        ASSERT_EQ(low, apply(BinaryOp::kMin, y, x));
        ASSERT_EQ(high, apply(BinaryOp::kMax, y, x));
        if (x.is_nan() || y.is_nan()) {
          ASSERT_TRUE(low.is_nan() && high.is_nan()) << t.name();
          continue;
        }
        ASSERT_EQ(low.as_float(), std::min(x.as_float(), y.as_float()));
        ASSERT_EQ(high.as_float(), std::max(x.as_float(), y.as_float()));
      }
    }
    if (!f.has_negative_zero()) continue;
    const Scalar plus = Scalar::of_float(t, 0.0), minus = Scalar::of_float(t, -0.0);
    EXPECT_EQ(apply(BinaryOp::kMin, plus, minus), minus) << t.name();
    EXPECT_EQ(apply(BinaryOp::kMax, minus, plus), plus) << t.name();
  }
}

TEST(FloatArithmeticTest, Comparisons) {
  for (const DType t : float_types()) {
    if (!float_format(t).has_nan()) continue;
    const Scalar nan = Scalar::of_float(t, kNaN), one = Scalar::one(t);
    for (const Scalar& other : {nan, one}) {
      for (std::size_t i = 0; i < kNumBinaryOps; ++i) {
        const BinaryOp op = static_cast<BinaryOp>(i);
        if (!is_comparison(op)) continue;
        EXPECT_EQ(apply(op, nan, other).truthy(), op == BinaryOp::kNe) << op_name(op) << " " << t.name();
      }
    }
  }
  EXPECT_TRUE(apply(BinaryOp::kEq, f32(0.0), f32(-0.0)).truthy());
  EXPECT_TRUE(apply(BinaryOp::kLt, f32(-kInf), f32(-1e38)).truthy());
}

/// Python's // and % on floats; the values are what CPython 3.11 prints.
TEST(FloatArithmeticTest, FloorDivision) {
  struct Row {
    double x, y, quotient, remainder;
  };
  const Row rows[] = {{7, 2, 3, 1},         {-7, 2, -4, 1},  {7, -2, -4, -1},    {-7, -2, 3, -1},
                      {6, 3, 2, 0},         {-6, 3, -2, 0},  {6, -3, -2, -0.0},  {0.0, -1, -0.0, -0.0},
                      {-1, kInf, -1, kInf}, {1, kInf, 0, 1}, {5.5, 0.25, 22, 0}, {1, 0.1, 9, 0.09999999999999995}};
  for (const Row& row : rows) {
    const Scalar x = Scalar::of_float(DType::f64(), row.x), y = Scalar::of_float(DType::f64(), row.y);
    EXPECT_EQ(apply(BinaryOp::kFloorDiv, x, y), Scalar::of_float(DType::f64(), row.quotient)) << row.x << "//" << row.y;
    EXPECT_EQ(apply(BinaryOp::kFloorMod, x, y), Scalar::of_float(DType::f64(), row.remainder)) << row.x << "%" << row.y;
  }
  EXPECT_EQ(apply(BinaryOp::kFloorDiv, f32(-1), f32(0)), f32(-kInf));
  EXPECT_TRUE(apply(BinaryOp::kFloorMod, f32(1), f32(0)).is_nan());
  EXPECT_EQ(apply(BinaryOp::kTruncDiv, f32(-7), f32(2)), f32(-3));
  EXPECT_EQ(apply(BinaryOp::kTruncMod, f32(-7), f32(2)), f32(-1));
}

TEST(FloatArithmeticTest, NegationAndAbsTouchTheSignOnly) {
  std::mt19937_64 random(12);
  for (const DType t : float_types()) {
    const FloatFormat& f = float_format(t);
    if (!f.has_negative_zero()) continue;
    const uint64_t sign = uint64_t{1} << (f.bits + f.low_padding - 1);
    for (int i = 0; i < 2000; ++i) {
      const Scalar x = Scalar::of_bits(t, random());
      ASSERT_EQ(apply(UnaryOp::kNeg, x).to_bits(), x.to_bits() ^ sign) << t.name();
      ASSERT_EQ(apply(UnaryOp::kAbs, x).to_bits(), x.to_bits() & ~sign) << t.name();
    }
  }
  const DType fnuz(TypeClass::kFloat8E4M3FNUZ, 8);
  EXPECT_EQ(apply(UnaryOp::kNeg, Scalar::zero(fnuz)), Scalar::zero(fnuz));
  EXPECT_TRUE(apply(UnaryOp::kNeg, Scalar::of_bits(fnuz, 0x80)).is_nan());
}

}  // namespace
}  // namespace tl
