#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>

#include "types/scalar.h"
#include "unit/types/element_types.h"

namespace tl {
namespace {

Scalar f32(double value) { return Scalar::of_float(DType::f32(), value); }

Scalar call(MathFn fn, std::vector<Scalar> args) { return apply_math(fn, args); }

double on_f64(MathFn fn, double x) { return call(fn, {Scalar::of_float(DType::f64(), x)}).as_float(); }

TEST(MathTableTest, NamesAreInverse) {
  for (std::size_t i = 0; i < kNumMathFns; ++i) {
    const MathFn fn = static_cast<MathFn>(i);
    EXPECT_EQ(parse_math_fn(math_fn_name(fn)), fn);
    EXPECT_EQ(max_ulp(fn, DType::i32()), 0);
    EXPECT_LE(max_ulp(fn, DType::f32()), 4);
    EXPECT_LE(max_ulp(fn, DType::f16()), 1);
  }
  EXPECT_EQ(parse_math_fn("sine"), std::nullopt);
  EXPECT_EQ(result_dtype(MathFn::kIsnan, DType::f16().with_lanes(2)), DType::boolean().with_lanes(2));
  EXPECT_EQ(result_dtype(MathFn::kClz, DType::u8()), DType::i32());
  EXPECT_TRUE(math_fn_info(MathFn::kSin).float_only() && !math_fn_info(MathFn::kFloor).float_only());
}

TEST(MathTableTest, WrongArgumentsAreRejected) {
  const Scalar i = Scalar::one(DType::i32()), f = f32(1), d = Scalar::one(DType::f64());
  EXPECT_THROW(call(MathFn::kSin, {i}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kSin, {f, f}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kPow, {f}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kPow, {f, d}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kLdexp, {f, f}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kPopcount, {f}), std::invalid_argument);
  EXPECT_THROW(call(MathFn::kIsnan, {Scalar::boolean(true)}), std::invalid_argument);
}

/// Values of tables (Abramowitz and Stegun; OEIS A000796, A001113), to all digits of a float64.
TEST(MathReferenceTest, KnownValues) {
  const std::pair<MathFn, std::pair<double, double>> rows[] = {{MathFn::kExp, {1, 2.718281828459045}},
                                                               {MathFn::kLog, {2, 0.6931471805599453}},
                                                               {MathFn::kAcos, {-1, 3.141592653589793}},
                                                               {MathFn::kAtan, {1, 0.7853981633974483}},
                                                               {MathFn::kErf, {1, 0.8427007929497149}},
                                                               {MathFn::kTanh, {1, 0.7615941559557649}},
                                                               {MathFn::kSinh, {1, 1.1752011936438014}},
                                                               {MathFn::kCosh, {1, 1.5430806348152437}},
                                                               {MathFn::kSin, {1, 0.8414709848078965}},
                                                               {MathFn::kCos, {1, 0.5403023058681398}},
                                                               {MathFn::kTan, {1, 1.5574077246549023}},
                                                               {MathFn::kAsin, {0.5, 0.5235987755982989}},
                                                               {MathFn::kAsinh, {1, 0.881373587019543}},
                                                               {MathFn::kAcosh, {2, 1.3169578969248168}},
                                                               {MathFn::kAtanh, {0.5, 0.5493061443340549}},
                                                               {MathFn::kLog1p, {1, 0.6931471805599453}},
                                                               {MathFn::kLog2, {8, 3}},
                                                               {MathFn::kLog10, {1000, 3}},
                                                               {MathFn::kExp2, {-3, 0.125}},
                                                               {MathFn::kExp10, {3, 1000}},
                                                               {MathFn::kRsqrt, {4, 0.5}},
                                                               {MathFn::kSigmoid, {1, 0.7310585786300049}},
                                                               {MathFn::kSigmoid, {0, 0.5}},
                                                               {MathFn::kSqrt, {2, 1.4142135623730951}}};
  for (const auto& [fn, row] : rows) EXPECT_EQ(on_f64(fn, row.first), row.second) << math_fn_name(fn);
}

TEST(MathReferenceTest, RoundsTiesToEven) {
  for (const MathFn fn : {MathFn::kRound, MathFn::kNearbyint}) {
    for (const auto& [x, expected] : std::vector<std::pair<double, double>>{
             {0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, -0.0}, {-1.5, -2}, {2.4, 2}, {2.6, 3}, {-kInf, -kInf}}) {
      EXPECT_EQ(call(fn, {f32(x)}), f32(expected)) << x;
    }
  }
  EXPECT_EQ(call(MathFn::kFloor, {f32(-1.5)}), f32(-2));
  EXPECT_EQ(call(MathFn::kCeil, {f32(-1.5)}), f32(-1));
  EXPECT_EQ(call(MathFn::kTrunc, {f32(-1.5)}), f32(-1));
  const Scalar seven = Scalar::of_int(DType::i8(), -7);
  EXPECT_EQ(call(MathFn::kFloor, {seven}), seven);
}

TEST(MathReferenceTest, SpecialValues) {
  EXPECT_EQ(call(MathFn::kLog, {f32(0)}), f32(-kInf));
  EXPECT_EQ(call(MathFn::kLog, {f32(-1)}).to_bits(), 0x7FC00000u);
  EXPECT_EQ(call(MathFn::kSqrt, {f32(-1)}).to_bits(), 0x7FC00000u);
  EXPECT_EQ(call(MathFn::kRsqrt, {f32(0)}), f32(kInf));
  EXPECT_EQ(call(MathFn::kExp, {f32(100)}), f32(kInf));
  EXPECT_EQ(call(MathFn::kSigmoid, {f32(-kInf)}), f32(0));
  EXPECT_EQ(call(MathFn::kSigmoid, {f32(kInf)}), f32(1));
  EXPECT_EQ(call(MathFn::kPow, {f32(kNaN), f32(0)}), f32(1));
  EXPECT_EQ(call(MathFn::kAtan2, {f32(0), f32(-0.0)}), f32(3.14159265358979));
  EXPECT_EQ(call(MathFn::kHypot, {f32(3e38), f32(0)}), f32(3e38));
  EXPECT_EQ(call(MathFn::kFmod, {f32(-5.5), f32(2)}), f32(-1.5));
  EXPECT_EQ(call(MathFn::kCopysign, {f32(kNaN), f32(-1)}).to_bits(), 0xFFC00000u);
  EXPECT_EQ(call(MathFn::kCopysign, {f32(3), f32(-0.0)}), f32(-3));
  EXPECT_EQ(call(MathFn::kTanh, {Scalar::of_float(DType::f16(), 1)}).as_float(), 0x1.86p-1);
}

TEST(MathReferenceTest, Classification) {
  struct Row {
    double x;
    bool finite, inf, nan;
  };
  for (const Row& row : {Row{1, true, false, false}, Row{kInf, false, true, false}, Row{-kInf, false, true, false},
                         Row{kNaN, false, false, true}}) {
    EXPECT_EQ(call(MathFn::kIsfinite, {f32(row.x)}), Scalar::boolean(row.finite));
    EXPECT_EQ(call(MathFn::kIsinf, {f32(row.x)}), Scalar::boolean(row.inf));
    EXPECT_EQ(call(MathFn::kIsnan, {f32(row.x)}), Scalar::boolean(row.nan));
  }
  EXPECT_TRUE(call(MathFn::kIsfinite, {Scalar::one(DType::u64())}).truthy());
}

TEST(MathReferenceTest, BitCountsUseTheTypesWidth) {
  for (const DType t : integer_types()) {
    for (int bit = 0; bit < t.bits(); ++bit) {
      const Scalar x = Scalar::of_bits(t, uint64_t{1} << bit);
      EXPECT_EQ(call(MathFn::kPopcount, {x}), Scalar::one(t));
      EXPECT_EQ(call(MathFn::kClz, {x}).as_int(), t.bits() - 1 - bit);
      EXPECT_EQ(call(MathFn::kFfs, {x}).as_int(), bit + 1);
    }
    const Scalar ones = Scalar::of_int(t, -1);
    EXPECT_EQ(call(MathFn::kPopcount, {ones}), Scalar::of_int(t, t.bits()));
    EXPECT_EQ(call(MathFn::kClz, {Scalar::zero(t)}).as_int(), t.bits());
    EXPECT_EQ(call(MathFn::kFfs, {Scalar::zero(t)}).as_int(), 0);
  }
}

TEST(MathReferenceTest, LdexpTakesAnyInteger) {
  EXPECT_EQ(call(MathFn::kLdexp, {f32(1.5), Scalar::of_int(DType::i8(), -3)}), f32(0.1875));
  EXPECT_EQ(call(MathFn::kLdexp, {f32(1), Scalar::of_uint(DType::u64(), UINT64_MAX)}), f32(kInf));
  EXPECT_EQ(call(MathFn::kLdexp, {f32(-1), Scalar::of_int(DType::i64(), INT64_MIN)}), f32(-0.0));
  EXPECT_EQ(call(MathFn::kLdexp, {f32(3), Scalar::of_int(DType::i32(), -149)}), f32(0x3p-149));
  EXPECT_EQ(
      call(MathFn::kLdexp, {Scalar::of_float(DType::f64(), 0x1p-1074), Scalar::of_int(DType::i32(), 2097)}).as_float(),
      0x1p1023);
}

TEST(MathReferenceTest, NextafterIsTheNeighbourInTheFormat) {
  for (const DType t : float_types()) {
    const FloatFormat& f = float_format(t);
    if (f.bits > 16) continue;
    for (uint64_t code = 0; code < f.max_code(); ++code) {
      const Scalar low = Scalar::of_bits(t, code), high = Scalar::of_bits(t, code + 1);
      ASSERT_EQ(call(MathFn::kNextafter, {low, high}), high) << t.name();
      ASSERT_EQ(call(MathFn::kNextafter, {high, low}), low) << t.name();
      if (!f.has_sign()) continue;
      const Scalar minus_low = apply(UnaryOp::kNeg, low), minus_high = apply(UnaryOp::kNeg, high);
      ASSERT_EQ(call(MathFn::kNextafter, {minus_low, minus_high}), minus_high) << t.name();
      ASSERT_EQ(call(MathFn::kNextafter, {minus_high, minus_low}), minus_low) << t.name();
    }
  }
  std::mt19937_64 random(13);
  for (int i = 0; i < 50000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random())),
                y = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const float expected = std::nextafter(x, y);
    const Scalar result = call(MathFn::kNextafter, {f32(x), f32(y)});
    ASSERT_EQ(result, f32(std::isnan(expected) ? kNaN : expected)) << x << " " << y;
  }
  EXPECT_EQ(call(MathFn::kNextafter, {f32(float_max(DType::f32())), f32(kInf)}), f32(kInf));
}

TEST(MathReferenceTest, FmaRoundsOnce) {
  std::mt19937_64 random(14);
  for (int i = 0; i < 100000; ++i) {
    const auto value = [&] {
      return std::ldexp(static_cast<float>(static_cast<int32_t>(random())), static_cast<int>(random() % 60) - 45);
    };
    const float x = value(), y = value(), z = i % 2 ? value() : -x * y;
    const float expected = std::fma(x, y, z);
    ASSERT_EQ(call(MathFn::kFma, {f32(x), f32(y), f32(z)}), f32(expected)) << x << " " << y << " " << z;
  }
  for (int i = 0; i < 100000; ++i) {  // narrow formats
    for (const DType t : {DType::f16(), DType::bf16()}) {
      const auto value = [&](int spread) {
        return Scalar::of_float(t, std::ldexp(1.0 + static_cast<double>(random() % 2048) / 2048,
                                              static_cast<int>(random() % spread) - spread / 2));
      };
      const Scalar x = value(6), y = value(6), z = value(24);
      const double exact = x.as_float() * y.as_float() + z.as_float();  // at most 24 + 22 bits apart: exact in a double
      ASSERT_EQ(call(MathFn::kFma, {x, y, z}).as_float(), round_to_float(t, exact)) << t.name();
    }
  }
  // Beside a tie of bfloat16 by less than a float64 can hold: 259/256 - 2^-60 goes down, 261/256 + 2^-60 up.
  const auto bf16 = [](double v) { return Scalar::of_float(DType::bf16(), v); };
  EXPECT_EQ(call(MathFn::kFma, {bf16(7), bf16(37.0 / 256), bf16(-0x1p-60)}), bf16(1 + 2.0 / 256));
  EXPECT_EQ(call(MathFn::kFma, {bf16(9), bf16(29.0 / 256), bf16(0x1p-60)}), bf16(1 + 6.0 / 256));
}

/// Bits pattern distance: units in the last place between two float32.
int64_t ulp_distance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INT64_MAX;
  const auto rank = [](float x) {
    const int64_t bits = std::bit_cast<uint32_t>(std::fabs(x));
    return std::signbit(x) ? -bits : bits;
  };
  return std::abs(rank(a) - rank(b));
}

/// The stated bounds hold for the C library's own float32 functions.
TEST(MathReferenceTest, CLibraryKeepsTheFloat32Bounds) {
  struct Row {
    MathFn fn;
    float (*native)(float);
  };
  const Row rows[] = {{MathFn::kAcos, std::acos},
                      {MathFn::kAcosh, std::acosh},
                      {MathFn::kAsin, std::asin},
                      {MathFn::kAsinh, std::asinh},
                      {MathFn::kAtan, std::atan},
                      {MathFn::kAtanh, std::atanh},
                      {MathFn::kCeil, std::ceil},
                      {MathFn::kCos, std::cos},
                      {MathFn::kCosh, std::cosh},
                      {MathFn::kErf, std::erf},
                      {MathFn::kExp, std::exp},
                      {MathFn::kExp2, std::exp2},
                      {MathFn::kFloor, std::floor},
                      {MathFn::kLog, std::log},
                      {MathFn::kLog1p, std::log1p},
                      {MathFn::kLog2, std::log2},
                      {MathFn::kLog10, std::log10},
                      {MathFn::kNearbyint, std::nearbyint},
                      {MathFn::kSin, std::sin},
                      {MathFn::kSinh, std::sinh},
                      {MathFn::kSqrt, std::sqrt},
                      {MathFn::kTan, std::tan},
                      {MathFn::kTanh, std::tanh},
                      {MathFn::kTrunc, std::trunc},
                      {MathFn::kRsqrt, [](float x) { return 1.0f / std::sqrt(x); }},
                      {MathFn::kSigmoid, [](float x) { return 1.0f / (1.0f + std::exp(-x)); }}};
  std::mt19937_64 random(15);
  for (const Row& row : rows) {
    int64_t worst = 0;
    for (int i = 0; i < 40000; ++i) {
      const float any = std::bit_cast<float>(static_cast<uint32_t>(random()));
      const float near = static_cast<float>(static_cast<int64_t>(random() % 2000001) - 1000000) / 50000.0f;
      const float x = i % 2 ? any : near;
      if (row.fn == MathFn::kSigmoid && x < -80)
        continue;  // exp(-x) overflows float32: the plain formula is not enough
      const float expected = static_cast<float>(call(row.fn, {f32(x)}).as_float());
      worst = std::max(worst, ulp_distance(row.native(x), expected));
    }
    EXPECT_LE(worst, max_ulp(row.fn, DType::f32())) << math_fn_name(row.fn);
  }
}

}  // namespace
}  // namespace tl
