#include "types/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "unit/types/element_types.h"

namespace tl {
namespace {

constexpr DType kE4M3FN(TypeClass::kFloat8E4M3FN, 8);

std::vector<DType> scalar_types() {
  return types_where([](DType) { return true; });
}

TEST(ScalarTest, PatternsRoundTrip) {
  std::mt19937_64 random(3);
  for (const DType t : scalar_types()) {
    const int bits = t.is_floating() ? float_format(t).bits : t.bits();
    for (int i = 0; i < 70000; ++i) {
      uint64_t pattern = (bits <= 16 ? static_cast<uint64_t>(i) : random()) & (~uint64_t{0} >> (64 - bits));
      if (t.is_floating()) pattern <<= float_format(t).low_padding;
      const Scalar value = Scalar::of_bits(t, pattern);
      ASSERT_EQ(value.to_bits(), t.is_bool() ? pattern != 0 : pattern) << t.name();
      ASSERT_EQ(Scalar::of_bits(t, value.to_bits()), value) << t.name();
      ASSERT_EQ(std::hash<Scalar>{}(Scalar::of_bits(t, pattern)), std::hash<Scalar>{}(value));
    }
  }
}

TEST(ScalarTest, TextReadsBackAsTheSameValue) {
  std::mt19937_64 random(4);
  for (const DType t : scalar_types()) {
    for (int i = 0; i < 20000; ++i) {
      const Scalar value = Scalar::of_bits(t, random());
      ASSERT_EQ(parse_scalar(t, value.text()), value) << value.text() << " " << t.name();
    }
  }
}

TEST(ScalarTest, Text) {
  EXPECT_EQ(Scalar::boolean(true).text(), "true");
  EXPECT_EQ(Scalar::of_int(DType::i8(), -3).text(), "-3");
  EXPECT_EQ(Scalar::of_uint(DType::u64(), UINT64_MAX).text(), "18446744073709551615");
  EXPECT_EQ(Scalar::of_float(DType::f32(), 0.1).text(), "0.1");
  EXPECT_EQ(Scalar::of_float(DType::f64(), 0.1).text(), "0.1");
  EXPECT_EQ(Scalar::of_float(DType::f32(), 2).text(), "2.0");
  EXPECT_EQ(Scalar::of_float(DType::f32(), -0.0).text(), "-0.0");
  EXPECT_EQ(Scalar::of_float(DType::f16(), kInf).text(), "inf");
  EXPECT_EQ(Scalar::of_float(DType::f16(), kNaN).text(), "nan");
  EXPECT_EQ(Scalar::of_bits(DType::f32(), 0xFFC00000).text(), "nan(0xffc00000)");
}

TEST(ScalarTest, ParseRejectsWhatIsNotAValueOfTheType) {
  const std::pair<DType, const char*> rows[] = {{DType::i8(), "128"},
                                                {DType::i8(), "-129"},
                                                {DType::u8(), "-1"},
                                                {DType::u8(), "256"},
                                                {DType::i32(), "1.0"},
                                                {DType::i32(), ""},
                                                {DType::i32(), "1 "},
                                                {DType::boolean(), "1"},
                                                {DType::f32(), "0.1x"},
                                                {DType::f32(), ""},
                                                {DType::f32(), "true"},
                                                {DType::f32(), "nan(0x3f800000)"},
                                                {DType::u64(), "18446744073709551616"}};
  for (const auto& [t, text] : rows) EXPECT_EQ(parse_scalar(t, text), std::nullopt) << text << " " << t.name();
  EXPECT_EQ(parse_scalar(DType::f32(), "1e39"), Scalar::of_float(DType::f32(), kInf));
  EXPECT_EQ(parse_scalar(DType::f16(), "3"), Scalar::of_float(DType::f16(), 3));
}

TEST(CastTest, IntegersWrap) {
  const auto wrapped = [](DType from, int64_t value, DType to) {
    return cast(Scalar::of_int(from, value), to).as_int();
  };
  EXPECT_EQ(wrapped(DType::i32(), 300, DType::i8()), 44);
  EXPECT_EQ(wrapped(DType::i32(), -1, DType::u8()), 255);
  EXPECT_EQ(wrapped(DType::i8(), -1, DType::u64()), -1);
  EXPECT_EQ(wrapped(DType::u8(), 255, DType::i32()), 255);
  EXPECT_EQ(wrapped(DType::i32(), 24, DType::i4()), -8);
  EXPECT_EQ(wrapped(DType::i32(), 256, DType::boolean()), 1);
  EXPECT_EQ(cast(Scalar::boolean(true), DType::i4()).as_int(), 1);
  EXPECT_EQ(cast(Scalar::boolean(true), DType::bf16()).as_float(), 1.0);
  EXPECT_EQ(cast(Scalar::of_uint(DType::u64(), 1u << 31), DType::handle()).as_uint(), 1u << 31);
}

TEST(CastTest, FloatToIntegerTruncatesAndSaturates) {
  std::mt19937_64 random(5);
  for (const DType t : integer_types()) {
    const auto convert = [t](double value) { return cast(Scalar::of_float(DType::f64(), value), t); };
    EXPECT_EQ(convert(kNaN), Scalar::zero(t));
    EXPECT_EQ(convert(kInf), Scalar::of_uint(t, integer_max(t)));
    EXPECT_EQ(convert(-kInf), Scalar::of_int(t, integer_min(t)));
    EXPECT_EQ(convert(1e300), Scalar::of_uint(t, integer_max(t)));
    EXPECT_EQ(convert(-0.999), Scalar::zero(t));
    EXPECT_EQ(convert(2.999), Scalar::of_int(t, 2));
    EXPECT_EQ(convert(-2.999), Scalar::of_int(t, t.is_int() ? -2 : 0));
    for (int i = 0; i < 20000; ++i) {
      const double value =
          std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 66));
      const long double low = integer_min(t), high = static_cast<long double>(integer_max(t));
      const long double expected = std::min(std::max(std::trunc(static_cast<long double>(value)), low), high);
      const Scalar result = convert(value);
      ASSERT_EQ(t.is_int() ? static_cast<long double>(result.as_int()) : static_cast<long double>(result.as_uint()),
                expected)
          << value << " " << t.name();
    }
  }
}

TEST(CastTest, FloatToBoolIsNotZero) {
  for (const double value : {0.5, -1.0, kInf, kNaN, 0x1p-1074}) {
    EXPECT_TRUE(cast(Scalar::of_float(DType::f64(), value), DType::boolean()).truthy()) << value;
  }
  EXPECT_FALSE(cast(Scalar::of_float(DType::f32(), -0.0), DType::boolean()).truthy());
}

/// A 64-bit integer goes to a narrow float in one rounding: not through float64.
TEST(CastTest, IntegerToFloatRoundsOnce) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random() >> (random() % 64);
    if (i % 2 == 0) bits = (bits | uint64_t{1} << 40) & ~uint64_t{0} << (random() % 40);  // near and on ties
    bits += (random() % 3) - 1;
    const Scalar u = Scalar::of_uint(DType::u64(), bits), s = Scalar::of_uint(DType::i64(), bits);
    ASSERT_EQ(cast(u, DType::f32()).as_float(), static_cast<double>(static_cast<float>(bits))) << bits;
    ASSERT_EQ(cast(s, DType::f32()).as_float(), static_cast<double>(static_cast<float>(s.as_int()))) << bits;
    ASSERT_EQ(cast(u, DType::f64()).as_float(), static_cast<double>(bits));
    ASSERT_EQ(cast(s, DType::f64()).as_float(), static_cast<double>(s.as_int()));
  }
  // One above a tie of bfloat16, lost in a float64: must go up.
  const int64_t above_tie = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(cast(Scalar::of_int(DType::i64(), above_tie), DType::bf16()).as_float(), 0x1.02p62);
  EXPECT_EQ(cast(Scalar::of_int(DType::i64(), above_tie - 1), DType::bf16()).as_float(), 0x1p62);
  EXPECT_EQ(cast(Scalar::of_int(DType::i64(), -above_tie), DType::bf16()).as_float(), -0x1.02p62);
}

TEST(CastTest, FloatToFloatRoundsOnce) {
  // Just above the tie of float16 between 1 and 1 + 2^-10; float32 would make it a tie.
  const double above_tie = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(cast(Scalar::of_float(DType::f64(), above_tie), DType::f16()).as_float(), 1 + 0x1p-10);
  EXPECT_EQ(cast(Scalar::of_float(DType::f32(), above_tie), DType::f16()).as_float(), 1.0);
}

TEST(CastTest, NaNKeepsItsSignOnly) {
  const Scalar signaling = Scalar::of_bits(DType::f32(), 0xFF9FFFFF);
  EXPECT_EQ(cast(signaling, DType::f16()).to_bits(), 0xFE00u);
  EXPECT_EQ(cast(signaling, DType::f64()).to_bits(), 0xFFF8000000000000u);
  EXPECT_EQ(cast(signaling, DType(TypeClass::kFloat8E5M2, 8)).to_bits(), 0xFEu);
  EXPECT_EQ(cast(signaling, DType::f32()), signaling);
}

TEST(CastTest, SaturatesOnRequest) {
  const auto saturated = [](Scalar value, DType to) { return cast(value, to, Overflow::kSaturate).as_float(); };
  EXPECT_EQ(saturated(Scalar::of_float(DType::f32(), 1e5), kE4M3FN), 448);
  EXPECT_EQ(saturated(Scalar::of_float(DType::f32(), -kInf), kE4M3FN), -448);
  EXPECT_EQ(saturated(Scalar::of_int(DType::i32(), -70000), DType::f16()), -65504);
  EXPECT_EQ(saturated(Scalar::of_uint(DType::u64(), UINT64_MAX), DType::f16()), 65504);
  EXPECT_EQ(saturated(Scalar::of_int(DType::i64(), (int64_t{1} << 62) + (int64_t{1} << 54) + 1), DType::bf16()),
            0x1.02p62);
  EXPECT_TRUE(std::isnan(saturated(Scalar::of_float(DType::f32(), kNaN), kE4M3FN)));
  EXPECT_TRUE(cast(Scalar::of_float(DType::f32(), 1e5), kE4M3FN).is_nan());
  EXPECT_TRUE(cast(Scalar::of_int(DType::i32(), 465), kE4M3FN).is_nan());
}

TEST(ScalarTest, EqualityIsIdentity) {
  EXPECT_NE(Scalar::of_float(DType::f32(), 0.0), Scalar::of_float(DType::f32(), -0.0));
  EXPECT_EQ(Scalar::of_float(DType::f32(), kNaN), Scalar::of_float(DType::f32(), kNaN));
  EXPECT_NE(Scalar::of_int(DType::i32(), 1), Scalar::of_int(DType::i64(), 1));
}

}  // namespace
}  // namespace tl
