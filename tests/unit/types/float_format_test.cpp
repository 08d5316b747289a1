#include "types/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "unit/types/element_types.h"

namespace tl {
namespace {

DType type_named(std::string_view name) { return parse_dtype(name).value(); }

struct Facts {
  const char* type;
  double max, min_normal, min_positive;
  uint64_t one, over_range, nan;  // patterns of 1.0, of a value far beyond the maximum, of NaN
};

// From IEEE 754, OFP8 1.0, OCP MX 1.0 and the fnuz paper, not from the code.
constexpr Facts kFacts[] = {
    {"float16", 65504, 0x1p-14, 0x1p-24, 0x3C00, 0x7C00, 0x7E00},
    {"bfloat16", 0x1.FEp127, 0x1p-126, 0x1p-133, 0x3F80, 0x7F80, 0x7FC0},
    {"tfloat32", 0x1.FFCp127, 0x1p-126, 0x1p-136, 0x3F800000, 0x7F800000, 0x7FC00000},
    {"float32", 0x1.FFFFFEp127, 0x1p-126, 0x1p-149, 0x3F800000, 0x7F800000, 0x7FC00000},
    {"float64", 0x1.FFFFFFFFFFFFFp1023, 0x1p-1022, 0x1p-1074, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF,
     0x7FF8000000000000},
    {"float8_e3m4", 15.5, 0.25, 0x1p-6, 0x30, 0x70, 0x78},
    {"float8_e4m3", 240, 0x1p-6, 0x1p-9, 0x38, 0x78, 0x7C},
    {"float8_e4m3b11fnuz", 30, 0x1p-10, 0x1p-13, 0x58, 0x80, 0x80},
    {"float8_e4m3fn", 448, 0x1p-6, 0x1p-9, 0x38, 0x7F, 0x7F},
    {"float8_e4m3fnuz", 240, 0x1p-7, 0x1p-10, 0x40, 0x80, 0x80},
    {"float8_e5m2", 57344, 0x1p-14, 0x1p-16, 0x3C, 0x7C, 0x7E},
    {"float8_e5m2fnuz", 57344, 0x1p-15, 0x1p-17, 0x40, 0x80, 0x80},
    {"float8_e8m0fnu", 0x1p127, 0x1p-127, 0x1p-127, 0x7F, 0xFF, 0xFF},
    {"float6_e2m3fn", 7.5, 1, 0.125, 0x08, 0x1F, 0x1F},
    {"float6_e3m2fn", 28, 0.25, 0.0625, 0x0C, 0x1F, 0x1F},
    {"float4_e2m1fn", 6, 1, 0.5, 0x2, 0x7, 0x7},
    {"float4_e2m1_unpacked", 6, 1, 0.5, 0x2, 0x7, 0x7},
};

TEST(FloatFormatTest, Facts) {
  EXPECT_EQ(std::size(kFacts), float_types().size());
  for (const Facts& facts : kFacts) {
    const DType t = type_named(facts.type);
    EXPECT_EQ(float_max(t), facts.max) << facts.type;
    EXPECT_EQ(float_min_normal(t), facts.min_normal) << facts.type;
    EXPECT_EQ(float_min_positive(t), facts.min_positive) << facts.type;
    EXPECT_EQ(encode_float(t, 1.0), facts.one) << facts.type;
    EXPECT_EQ(encode_float(t, std::numeric_limits<double>::max()), facts.over_range) << facts.type;
    EXPECT_EQ(encode_float(t, kNaN), facts.nan) << facts.type;
    EXPECT_EQ(std::isnan(decode_float(t, facts.nan)), float_format(t).has_nan()) << facts.type;
    EXPECT_EQ(float_epsilon(t), std::ldexp(1.0, -float_format(t).mantissa_bits));
    EXPECT_EQ(float_min(t), facts.type == std::string_view("float8_e8m0fnu") ? 0x1p-127 : -facts.max) << facts.type;
  }
}

TEST(FloatFormatTest, OverRange) {
  struct Row {
    const char* type;
    double value;
    uint64_t format, saturate;
  };
  constexpr Row kRows[] = {
      {"float16", 65519, 0x7BFF, 0x7BFF},
      {"float16", 65520, 0x7C00, 0x7BFF},
      {"float16", -kInf, 0xFC00, 0xFBFF},
      {"bfloat16", 3.4e38, 0x7F80, 0x7F7F},
      {"float8_e5m2", 57344, 0x7B, 0x7B},
      {"float8_e5m2", 61439, 0x7B, 0x7B},
      {"float8_e5m2", 61440, 0x7C, 0x7B},
      {"float8_e5m2", 65504, 0x7C, 0x7B},
      {"float8_e5m2", 1e5, 0x7C, 0x7B},
      {"float8_e5m2", -1e5, 0xFC, 0xFB},
      {"float8_e5m2", kInf, 0x7C, 0x7B},
      {"float8_e5m2", -kInf, 0xFC, 0xFB},
      {"float8_e4m3fn", 464, 0x7E, 0x7E},
      {"float8_e4m3fn", 464.0001, 0x7F, 0x7E},
      {"float8_e4m3fn", -1e5, 0xFF, 0xFE},
      {"float8_e4m3fn", kInf, 0x7F, 0x7E},
      {"float8_e4m3fnuz", 247.9, 0x7F, 0x7F},
      {"float8_e4m3fnuz", 248, 0x80, 0x7F},
      {"float8_e4m3fnuz", -kInf, 0x80, 0xFF},
      {"float8_e8m0fnu", 0x1.7FFFFFp127, 0xFE, 0xFE},
      {"float8_e8m0fnu", 0x1.8p127, 0xFF, 0xFE},
      {"float8_e8m0fnu", kInf, 0xFF, 0xFE},
      {"float6_e2m3fn", kInf, 0x1F, 0x1F},
      {"float6_e3m2fn", -1e9, 0x3F, 0x3F},
      {"float4_e2m1fn", 7, 0x7, 0x7},
      {"float4_e2m1fn", -kInf, 0xF, 0xF},
      {"float32", 3.5e38, 0x7F800000, 0x7F7FFFFF},
      {"float64", -kInf, 0xFFF0000000000000, 0xFFEFFFFFFFFFFFFF},
  };
  for (const Row& row : kRows) {
    const DType t = type_named(row.type);
    EXPECT_EQ(encode_float(t, row.value), row.format) << row.type << " " << row.value;
    EXPECT_EQ(encode_float(t, row.value, Overflow::kSaturate), row.saturate) << row.type << " " << row.value;
    EXPECT_EQ(encode_float(t, kNaN, Overflow::kSaturate), encode_float(t, kNaN)) << row.type;
  }
}

/// Scale factors follow PyTorch's conversion bit by bit; the listed patterns are what it prints.
TEST(FloatFormatTest, ScaleFormat) {
  const DType t = type_named("float8_e8m0fnu");
  const double tiny = 0x1p-127;
  const std::pair<double, uint64_t> rows[] = {
      {0.0, 0},         {-0.0, 0},  {-1.0, 0x7F},       {-1.5, 0x80},    {1.49, 0x7F},     {1.5, 0x80},
      {3.0, 0x81},      {tiny, 0},  {tiny * 1.25, 1},   {tiny * 1.5, 1}, {tiny * 1.75, 1}, {tiny / 2, 0},
      {tiny * 0.75, 0}, {1e-45, 0}, {0x1.7Dp127, 0xFE}, {-kInf, 0xFF},   {-1.25 * tiny, 1}};
  for (const auto& [value, bits] : rows) EXPECT_EQ(encode_float(t, value), bits) << value;
}

/// Every pattern of the formats up to 16 bits: decoding is exact, encoding is its inverse, and whatever lies between
/// two neighbours goes to the nearer, a tie to the even pattern.
TEST(FloatFormatTest, EveryPatternRoundTripsAndEveryTieGoesToEven) {
  for (const DType t : float_types()) {
    const FloatFormat& f = float_format(t);
    if (f.bits > 16 || !f.has_zero()) continue;
    const uint64_t sign = uint64_t{1} << (f.bits - 1);
    for (uint64_t code = 0; code <= f.max_code(); ++code) {
      const double value = decode_float(t, code);
      ASSERT_EQ(encode_float(t, value), code) << t.name();
      const bool lost_sign = code == 0 && !f.has_negative_zero();
      ASSERT_EQ(encode_float(t, -value), lost_sign ? 0 : code | sign) << t.name();
      if (code == f.max_code()) continue;
      const double next = decode_float(t, code + 1);
      ASSERT_LT(value, next) << t.name() << " " << code;
      const double middle = (value + next) / 2;
      ASSERT_EQ(encode_float(t, middle), code + (code & 1)) << t.name() << " " << middle;
      ASSERT_EQ(encode_float(t, std::nextafter(middle, -kInf)), code) << t.name() << " " << middle;
      ASSERT_EQ(encode_float(t, std::nextafter(middle, kInf)), code + 1) << t.name() << " " << middle;
      ASSERT_EQ(encode_float(t, -std::nextafter(middle, kInf)), (code + 1) | sign) << t.name() << " " << middle;
    }
  }
}

TEST(FloatFormatTest, EveryPatternOfTheScaleFormat) {
  const DType t = type_named("float8_e8m0fnu");
  for (int code = 0; code < 255; ++code) {
    const double value = decode_float(t, static_cast<uint64_t>(code));
    EXPECT_EQ(value, std::ldexp(1.0, code - 127));
    EXPECT_EQ(encode_float(t, value), static_cast<uint64_t>(code));
    if (code == 0) continue;
    EXPECT_EQ(encode_float(t, std::nextafter(1.5 * value, 0)), static_cast<uint64_t>(code));
    EXPECT_EQ(encode_float(t, 1.5 * value), static_cast<uint64_t>(code + 1));
  }
  EXPECT_TRUE(std::isnan(decode_float(t, 255)));
}

TEST(FloatFormatTest, EveryNaNAndInfinityRoundTrips) {
  for (const DType t : float_types()) {
    const FloatFormat& f = float_format(t);
    if (f.bits > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << f.bits; ++bits) {
      const double value = decode_float(t, bits);
      if (std::isfinite(value)) continue;
      ASSERT_EQ(encode_float(t, value), bits) << t.name();
    }
  }
  for (const uint64_t bits : {0x7F800001u, 0x7FC00000u, 0xFFFFFFFFu, 0xFF800000u, 0xFFC12345u}) {
    EXPECT_EQ(encode_float(DType::f32(), decode_float(DType::f32(), bits)), bits);
  }
}

TEST(FloatFormatTest, NarrowingKeepsANaNANaN) {
  const double low_payload = decode_float(DType::f32(), 0x7F800001);
  EXPECT_EQ(encode_float(DType::bf16(), low_payload), 0x7FC0u);
  EXPECT_EQ(encode_float(DType::f16(), -low_payload), 0xFE00u);
}

TEST(FloatFormatTest, Float32IsTheHardwareConversion) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const float expected = static_cast<float>(value);
    ASSERT_EQ(encode_float(DType::f32(), value), std::bit_cast<uint32_t>(expected)) << value;
    const double near_one = std::ldexp(value, -std::ilogb(value) + static_cast<int>(random() % 300) - 150);
    ASSERT_EQ(encode_float(DType::f32(), near_one), std::bit_cast<uint32_t>(static_cast<float>(near_one))) << near_one;
    const uint32_t pattern = static_cast<uint32_t>(random());
    if (const float f = std::bit_cast<float>(pattern); !std::isnan(f)) {
      ASSERT_EQ(decode_float(DType::f32(), pattern), static_cast<double>(f));
      const double saturated = round_to_float(DType::f32(), f, Overflow::kSaturate);
      ASSERT_EQ(saturated, std::isinf(f) ? std::copysign(float_max(DType::f32()), f) : static_cast<double>(f));
    }
  }
}

TEST(FloatFormatTest, TensorFloatKeepsTenBitsOfAFloat32) {
  const DType t = DType::tf32();
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t word = static_cast<uint32_t>(random());
    const float value = std::bit_cast<float>(word);
    if (!std::isfinite(value)) continue;
    const uint32_t low = word & 0x1FFF, kept = word & ~0x1FFFu;
    const bool up = low > 0x1000 || (low == 0x1000 && (kept & 0x2000) != 0);
    ASSERT_EQ(encode_float(t, value), kept + (up ? 0x2000 : 0));
    ASSERT_EQ(decode_float(t, word), static_cast<double>(std::bit_cast<float>(kept)));
  }
}

}  // namespace
}  // namespace tl
