// The prelude's 16-bit floats, conversions, minimum and maximum, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backend/cfamily/prelude/cast.h"
#include "backend/host/prelude/minmax.h"
#include "backend/host/prelude/vector.h"
#include "unit/backend/host_prelude_ulp.h"

namespace {

using tlp::bf16;
using tlp::cast;
using tlp::f16;
using tlp_test::bits_from_float;
using tlp_test::float_from_bits;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Format {
  int exponent_bits, mantissa_bits;
};
constexpr Format kF16{5, 10}, kBf16{8, 7};

/// Value of a pattern by the definition of the format; NaN for its NaNs.
double decode(std::uint16_t bits, Format format) {
  int exponent = (bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
  int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  double magnitude = exponent == 0
                         ? std::ldexp(mantissa, 1 - bias - format.mantissa_bits)
                         : std::ldexp(mantissa + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
  if (exponent == (1 << format.exponent_bits) - 1) magnitude = mantissa ? NAN : INFINITY;
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// The pattern nearest to a long double, ties to even; exact arithmetic on a 64-bit mantissa.
std::uint16_t encode(long double x, Format format) {
  std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  long double magnitude = std::fabs(x);
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  std::uint16_t infinity = static_cast<std::uint16_t>(((1 << format.exponent_bits) - 1) << format.mantissa_bits);
  if (std::isinf(x)) return sign | infinity;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  int grid = std::max(exponent - 1, 1 - bias) - format.mantissa_bits;
  auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -grid)));
  auto field = static_cast<std::uint32_t>(grid + format.mantissa_bits + bias);  // exponent field of the grid's binade
  std::uint32_t bits = (field - 1) * (1u << format.mantissa_bits) + steps;
  return sign | static_cast<std::uint16_t>(magnitude == 0 ? 0 : std::min<std::uint32_t>(bits, infinity));
}

template <class Half>
constexpr Format kFormat = std::is_same_v<Half, f16> ? kF16 : kBf16;

template <class Half>
class HostPreludeHalf : public testing::Test {};
using Halves = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(HostPreludeHalf, Halves);

TYPED_TEST(HostPreludeHalf, EveryPatternConvertsExactlyAndBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto pattern = static_cast<std::uint16_t>(bits);
    TypeParam h = TypeParam::of_bits(pattern);
    double expected = decode(pattern, kFormat<TypeParam>);
    float got = float(h);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got));
      ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0);
      ASSERT_EQ(TypeParam(got).bits, bits | (1u << (kFormat<TypeParam>.mantissa_bits - 1)));
    } else {
      ASSERT_EQ(double(got), expected);
      ASSERT_EQ(std::signbit(got), std::signbit(expected));
      ASSERT_EQ(TypeParam(got).bits, bits);
      ASSERT_EQ(TypeParam(double(got)).bits, bits);
    }
  }
}

/// Every float near a halfway point rounds as the definition says, from float and from double.
TYPED_TEST(HostPreludeHalf, RoundsToNearestEvenAroundEveryMidpoint) {
  for (std::uint32_t bits = 0; bits < 0xffff; ++bits) {
    double low = decode(static_cast<std::uint16_t>(bits), kFormat<TypeParam>);
    double high = decode(static_cast<std::uint16_t>(bits + 1), kFormat<TypeParam>);
    if (std::isnan(low) || std::isnan(high) || std::isinf(low)) continue;
    if (std::isinf(high)) high = 2 * low - decode(static_cast<std::uint16_t>(bits - 1), kFormat<TypeParam>);
    double middle = (low + high) / 2;
    for (int step = -2; step <= 2; ++step) {
      float near = static_cast<float>(middle);
      for (int s = 0; s < std::abs(step); ++s) near = std::nextafter(near, step < 0 ? -kInf : kInf);
      ASSERT_EQ(TypeParam(near).bits, encode(near, kFormat<TypeParam>)) << near;
      double exact = middle;
      for (int s = 0; s < std::abs(step); ++s) exact = std::nextafter(exact, step < 0 ? -double(kInf) : double(kInf));
      ASSERT_EQ(TypeParam(exact).bits, encode(exact, kFormat<TypeParam>)) << exact;
    }
  }
}

TYPED_TEST(HostPreludeHalf, SampledFloatsRoundAsDefined) {
  const std::uint64_t stride = tlp_test::sample_stride();
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += stride) {
    float x = float_from_bits(static_cast<std::uint32_t>(bits));
    std::uint16_t got = TypeParam(x).bits;
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(decode(got, kFormat<TypeParam>)));
      ASSERT_EQ(got >> 15, bits >> 31);
    } else {
      ASSERT_EQ(got, encode(x, kFormat<TypeParam>)) << x;
    }
  }
}

TYPED_TEST(HostPreludeHalf, ArithmeticIsCorrectlyRounded) {
  std::mt19937 random(1);
  for (int i = 0; i < 1 << 19; ++i) {
    TypeParam a = TypeParam::of_bits(static_cast<std::uint16_t>(random()));
    TypeParam b = TypeParam::of_bits(static_cast<std::uint16_t>(random()));
    long double x = float(a), y = float(b);
    auto expect = [&](TypeParam got, long double exact, const char* op) {
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(float(got))) << op;
      } else {
        ASSERT_EQ(got.bits, encode(exact, kFormat<TypeParam>)) << float(a) << op << float(b);
      }
    };
    expect(a + b, x + y, "+");
    expect(a - b, x - y, "-");
    expect(a * b, x * y, "*");
    expect(a / b, x / y, "/");
    ASSERT_EQ((-a).bits, a.bits ^ 0x8000);
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a >= b, x >= y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(a != b, x != y);
  }
}

TYPED_TEST(HostPreludeHalf, IntegersRoundOnce) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1 << 18; ++i) {
    auto x = static_cast<std::int64_t>(random()) >> (random() % 64);
    auto u = random() >> (random() % 64);
    if (random() % 2) x = (x & ~std::int64_t{0xff}) + static_cast<int>(random() % 3) - 1;  // beside ties
    ASSERT_EQ(cast<TypeParam>(x).bits, encode(x, kFormat<TypeParam>)) << x;
    ASSERT_EQ(cast<TypeParam>(u).bits, encode(u, kFormat<TypeParam>)) << u;
    auto narrow = static_cast<std::int32_t>(x);
    ASSERT_EQ(cast<TypeParam>(narrow).bits, encode(narrow, kFormat<TypeParam>)) << narrow;
  }
  for (int exponent = 8; exponent < 63; ++exponent) {
    for (std::int64_t near = -2; near <= 2; ++near) {
      std::int64_t tie = (std::int64_t{1} << exponent) + (std::int64_t{1} << (exponent - 8)) + near;
      ASSERT_EQ(cast<TypeParam>(tie).bits, encode(tie, kFormat<TypeParam>)) << tie;
      ASSERT_EQ(cast<TypeParam>(-tie).bits, encode(-tie, kFormat<TypeParam>)) << -tie;
    }
  }
}

TYPED_TEST(HostPreludeHalf, VectorLoadsAndStoresAgreeWithScalars) {
  constexpr int n = tlp::lanes<float>;
  for (std::uint32_t base = 0; base < 0x10000; base += n) {
    TypeParam in[n], out[n];
    float values[n];
    for (int i = 0; i < n; ++i) in[i] = TypeParam::of_bits(static_cast<std::uint16_t>(base + i));
    tlp::store(values, tlp::load_floats(in));
    tlp::store_floats(out, tlp::load(values));
    for (int i = 0; i < n; ++i) {
      if (std::isnan(float(in[i]))) {
        ASSERT_TRUE(std::isnan(values[i]) && std::isnan(float(out[i])));
      } else {
        ASSERT_EQ(values[i], float(in[i]));
        ASSERT_EQ(out[i].bits, in[i].bits);
      }
    }
  }
  std::mt19937 random(3);
  for (int round = 0; round < 1 << 16; ++round) {
    float values[n];
    TypeParam out[n];
    for (float& v : values) v = float_from_bits(static_cast<std::uint32_t>(random()));
    tlp::store_floats(out, tlp::load(values));
    for (int i = 0; i < n; ++i) ASSERT_EQ(out[i].bits, TypeParam(values[i]).bits) << values[i];
  }
}

template <class D, class S>
void check_saturation(S x) {
  __float128 value = x;
  D expected = 0;
  if (x == x) {
    if (value >= static_cast<__float128>(std::numeric_limits<D>::max())) {
      expected = std::numeric_limits<D>::max();
    } else if (value <= static_cast<__float128>(std::numeric_limits<D>::min())) {
      expected = std::numeric_limits<D>::min();
    } else {
      expected = static_cast<D>(value);
    }
  }
  ASSERT_EQ(cast<D>(x), expected) << x;
}

template <class S>
void check_all_saturations(S x) {
  check_saturation<std::int8_t>(x);
  check_saturation<std::int16_t>(x);
  check_saturation<std::int32_t>(x);
  check_saturation<std::int64_t>(x);
  check_saturation<std::uint8_t>(x);
  check_saturation<std::uint16_t>(x);
  check_saturation<std::uint32_t>(x);
  check_saturation<std::uint64_t>(x);
}

TEST(HostPreludeCast, FloatToIntegerTruncatesAndSaturates) {
  for (double base : {0.0, 0.5, 1.0, 127.0, 128.0, 255.0, 256.0, 32767.0, 32768.0, 65535.0, 65536.0, 0x1p31, 0x1p32,
                      0x1p63, 0x1p64, 1e30, double(kInf)}) {
    for (double offset : {-1.0, -0.5, -0x1p-20, 0.0, 0x1p-20, 0.5, 1.0}) {
      for (double sign : {1.0, -1.0}) {
        check_all_saturations(sign * (base + offset));
        check_all_saturations(static_cast<float>(sign * (base + offset)));
      }
    }
  }
  check_all_saturations(kNan);
  check_all_saturations(double(kNan));
  std::mt19937 random(4);
  for (int i = 0; i < 1 << 16; ++i) check_all_saturations(float_from_bits(static_cast<std::uint32_t>(random())));
}

TEST(HostPreludeCast, IntegersWrapAndBoolIsNotZero) {
  EXPECT_EQ(cast<std::int8_t>(std::int32_t{200}), -56);
  EXPECT_EQ(cast<std::uint8_t>(std::int64_t{-1}), 255);
  EXPECT_EQ(cast<std::int64_t>(std::uint32_t{0xffffffff}), 0xffffffffll);
  EXPECT_EQ(cast<std::uint64_t>(std::int8_t{-1}), ~0ull);
  EXPECT_TRUE(cast<bool>(0.25f));
  EXPECT_TRUE(cast<bool>(kNan));
  EXPECT_TRUE(cast<bool>(f16(kNan)));
  EXPECT_FALSE(cast<bool>(-0.0f));
  EXPECT_FALSE(cast<bool>(bf16(-0.0f)));
  EXPECT_TRUE(cast<bool>(std::int64_t{1} << 40));
  EXPECT_EQ(cast<float>(true), 1.0f);
  EXPECT_EQ(float(cast<f16>(true)), 1.0f);
  EXPECT_EQ(cast<float>(std::uint64_t{0xffffffffffffffff}), 0x1p64f);
  EXPECT_EQ(float(cast<bf16>(f16(1.0009765625f))), 1.0f);
  EXPECT_EQ(cast<std::int32_t>(f16(-3.75f)), -3);
}

template <class T>
void check_minimum_and_maximum(T nan) {
  const T values[] = {T(-kInf), T(-1.0f), T(-0.0f), T(0.0f), T(1.0f), T(kInf)};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {  // the list is in the order of IEEE 754-2019 minimum and maximum
      T low = tlp::min(values[i], values[j]), high = tlp::max(values[i], values[j]);
      EXPECT_EQ(std::memcmp(&low, &values[std::min(i, j)], sizeof(T)), 0) << i << " " << j;
      EXPECT_EQ(std::memcmp(&high, &values[std::max(i, j)], sizeof(T)), 0) << i << " " << j;
    }
    for (T x :
         {tlp::min(values[i], nan), tlp::min(nan, values[i]), tlp::max(values[i], nan), tlp::max(nan, values[i])}) {
      EXPECT_TRUE(x != x);
    }
    EXPECT_FALSE(tlp::abs(values[i]) < T(0.0f));
  }
  T clamped = tlp::clamp(nan, T(0.0f), T(1.0f));
  EXPECT_TRUE(clamped != clamped);
}

TEST(HostPreludeMinMax, FollowIeee2019) {
  check_minimum_and_maximum<float>(kNan);
  check_minimum_and_maximum<double>(kNan);
  check_minimum_and_maximum<f16>(f16(kNan));
  check_minimum_and_maximum<bf16>(bf16(kNan));
  EXPECT_EQ(tlp::max(std::int8_t{-3}, std::int8_t{2}), 2);
  EXPECT_EQ(tlp::min(~0ull, 2ull), 2ull);
  EXPECT_EQ(tlp::abs(std::numeric_limits<std::int32_t>::min()), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(tlp::clamp(5, 0, 3), 3);
}

}  // namespace
