// Accuracy of the prelude's elementary functions against the double functions of the C library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "backend/cfamily/prelude/float_division.h"
#include "backend/host/prelude/math_erf.h"
#include "backend/host/prelude/math_exp.h"
#include "backend/host/prelude/math_hyperbolic.h"
#include "backend/host/prelude/math_inverse_trig.h"
#include "backend/host/prelude/math_log.h"
#include "backend/host/prelude/math_pow.h"
#include "backend/host/prelude/math_root.h"
#include "backend/host/prelude/math_trig.h"
#include "backend/host/prelude/scale.h"
#include "unit/backend/host_prelude_ulp.h"

namespace {

using tlp_test::bits_from_float;
using tlp_test::float_from_bits;
using tlp_test::float_ulps;

constexpr float kInf = std::numeric_limits<float>::infinity();
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool kFused = true;
#else
constexpr bool kFused = false;
#endif
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Unary {
  const char* name;
  void (*apply)(const float*, float*, int);
  double (*reference)(double);
  double bound;  // ulp
};

#define UNARY(function, reference, bound)                         \
  Unary {                                                         \
    #function,                                                    \
        [](const float* x, float* y, int n) {                     \
          for (int i = 0; i < n; ++i) y[i] = tlp::function(x[i]); \
        },                                                        \
        [](double x) -> double { return reference; }, bound       \
  }

const std::vector<Unary> kUnary = {
    UNARY(exp, std::exp(x), 1.1),
    UNARY(exp2, std::exp2(x), kFused ? 1.0 : 1.2),
    UNARY(exp10, std::pow(10.0, x), kFused ? 1.0 : 1.3),
    UNARY(sigmoid, x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)), kFused ? 1.6 : 2.0),
    UNARY(log, std::log(x), 1.0),
    UNARY(log2, std::log2(x), kFused ? 1.3 : 1.8),
    UNARY(log10, std::log10(x), kFused ? 1.0 : 1.8),
    UNARY(log1p, std::log1p(x), 0.51),
    UNARY(sin, std::sin(x), 1.5),
    UNARY(cos, std::cos(x), 1.5),
    UNARY(tan, std::tan(x), 0.51),
    UNARY(asin, std::asin(x), 2.0),
    UNARY(acos, std::acos(x), 2.0),
    UNARY(atan, std::atan(x), 2.0),
    UNARY(sinh, std::sinh(x), 2.0),
    UNARY(cosh, std::cosh(x), 2.0),
    UNARY(tanh, std::tanh(x), 2.0),
    UNARY(asinh, std::asinh(x), 0.51),
    UNARY(acosh, std::acosh(x), 0.51),
    UNARY(atanh, std::atanh(x), 0.51),
    UNARY(erf, std::erf(x), 1.5),
    UNARY(sqrt, std::sqrt(x), 0.501),
    UNARY(rsqrt, 1 / std::sqrt(x), 1.5),
    UNARY(floor, std::floor(x), 0),
    UNARY(ceil, std::ceil(x), 0),
    UNARY(trunc, std::trunc(x), 0),
    UNARY(round, std::nearbyint(x), 0),
    UNARY(nearbyint, std::nearbyint(x), 0),
};

struct Worst {
  double ulps = 0;
  float at = 0, value = 0;

  void see(const Unary& function, const float* x, const float* y, int n) {
    for (int i = 0; i < n; ++i) {
      double distance = float_ulps(y[i], function.reference(x[i]));
      if (distance > ulps) *this = {distance, x[i], y[i]};
    }
  }
};

class HostPreludeMath : public testing::TestWithParam<Unary> {};

TEST_P(HostPreludeMath, StaysWithinItsUlpBoundOverAllFloats) {
  const Unary& function = GetParam();
  constexpr int chunk = 1024;
  std::array<float, chunk> x{}, y{};
  Worst worst;
  const std::uint64_t stride = tlp_test::sample_stride();
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += stride * chunk) {
    for (int i = 0; i < chunk; ++i) x[i] = float_from_bits(static_cast<std::uint32_t>(bits + stride * i));
    function.apply(x.data(), y.data(), chunk);
    worst.see(function, x.data(), y.data(), chunk);
  }
  RecordProperty("max_ulp", std::to_string(worst.ulps));
  if (std::getenv("HOST_PRELUDE_STRIDE")) printf("%-10s max %.4f ulp at %a\n", function.name, worst.ulps, worst.at);
  EXPECT_LE(worst.ulps, function.bound) << function.name << "(" << worst.at << ") = " << worst.value;
}

TEST_P(HostPreludeMath, StaysWithinItsUlpBoundAtTheEdges) {
  const Unary& function = GetParam();
  std::vector<float> x;
  for (float special :
       {0.0f,        kInf,        kNan,        1.0f,        0.5f,        2.0f,        0.625f,         1e-38f,
        88.72284f,   87.33655f,   103.97208f,  128.0f,      126.0f,      149.0f,      150.0f,         38.53184f,
        45.154499f,  89.41599f,   0x1p-126f,   0x1p-149f,   3.92f,       0x1p23f,     0x1p24f,        0x1.fffffep127f,
        0.70710678f, 1.41421356f, 0.78539816f, 1.57079633f, 3.14159265f, 16367173.0f, 0x1.47d0fep34f, 0x1p-10f,
        0x1p-20f,    0.5f,        1.5f,        2.5f}) {
    for (int step = -40; step <= 40; ++step) {
      float near = float_from_bits(bits_from_float(special) + static_cast<std::uint32_t>(step));
      x.insert(x.end(), {near, -near});
    }
  }
  std::vector<float> y(x.size());
  function.apply(x.data(), y.data(), static_cast<int>(x.size()));
  Worst worst;
  worst.see(function, x.data(), y.data(), static_cast<int>(x.size()));
  EXPECT_LE(worst.ulps, function.bound) << function.name << "(" << worst.at << ") = " << worst.value;
}

INSTANTIATE_TEST_SUITE_P(Functions, HostPreludeMath, testing::ValuesIn(kUnary),
                         [](const auto& info) { return std::string(info.param.name); });

struct Binary {
  const char* name;
  void (*apply)(const float*, const float*, float*, int);
  double (*reference)(double, double);
  double bound;  // ulp
};

#define BINARY(function, reference, bound)                              \
  Binary {                                                              \
    #function,                                                          \
        [](const float* x, const float* y, float* z, int n) {           \
          for (int i = 0; i < n; ++i) z[i] = tlp::function(x[i], y[i]); \
        },                                                              \
        [](double x, double y) -> double { return reference; }, bound   \
  }

const std::vector<Binary> kBinary = {
    BINARY(pow, std::pow(x, y), 0.51),        BINARY(atan2, std::atan2(x, y), 2.0),
    BINARY(hypot, std::hypot(x, y), 0.51),    BINARY(fmod, std::fmod(x, y), 0),
    BINARY(copysign, std::copysign(x, y), 0), BINARY(nextafter, (std::nextafter(float(x), float(y))), 0),
};

class HostPreludeMath2 : public testing::TestWithParam<Binary> {
 protected:
  void check(const std::vector<float>& x, const std::vector<float>& y) {
    const Binary& function = GetParam();
    std::vector<float> z(x.size());
    function.apply(x.data(), y.data(), z.data(), static_cast<int>(x.size()));
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double distance = float_ulps(z[i], function.reference(x[i], y[i]));
      if (distance > worst) worst = distance, at = i;
    }
    EXPECT_LE(worst, function.bound) << function.name << "(" << x[at] << ", " << y[at] << ") = " << z[at];
  }
};

TEST_P(HostPreludeMath2, AnyBitPatterns) {
  std::mt19937 random(1);
  std::vector<float> x(1 << 20), y(x.size());
  for (float& v : x) v = float_from_bits(static_cast<std::uint32_t>(random()));
  for (float& v : y) v = float_from_bits(static_cast<std::uint32_t>(random()));
  check(x, y);
}

TEST_P(HostPreludeMath2, ModerateValues) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> exponent(-8, 8), sign(-1, 1);
  std::vector<float> x(1 << 20), y(x.size());
  for (float& v : x) v = std::copysign(std::exp2(exponent(random)), sign(random) + 0.5f);
  for (float& v : y) v = std::copysign(std::exp2(exponent(random)), sign(random));
  check(x, y);
}

TEST_P(HostPreludeMath2, AllPairsOfSpecialValues) {
  std::vector<float> special, x, y;
  for (float v : {0.0f, kInf, kNan, 1.0f, 0.5f, 2.0f, 3.0f, 2.5f, 1e-40f, 0x1p-149f, 0x1p23f, 8388609.0f, 0x1p24f,
                  0x1p31f, 3e38f, 1e-30f, 0x1.fffffep-1f, 0x1.000002p0f})
    special.insert(special.end(), {v, -v});
  for (float a : special) {
    for (float b : special) x.push_back(a), y.push_back(b);
  }
  check(x, y);
}

INSTANTIATE_TEST_SUITE_P(Functions, HostPreludeMath2, testing::ValuesIn(kBinary),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostPreludeMathExact, LdexpRoundsOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 1 << 18; ++i) {
    float x = float_from_bits(static_cast<std::uint32_t>(random()));
    int n = static_cast<int>(random() % 700) - 350;
    float expected = std::ldexp(x, n), got = tlp::ldexp(x, n);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(got));
    } else {
      ASSERT_EQ(bits_from_float(got), bits_from_float(expected)) << x << " " << n;
    }
  }
  EXPECT_EQ(tlp::ldexp(0x1p-149f, 2147483647), kInf);
  EXPECT_EQ(tlp::ldexp(1.0f, std::int64_t{-1} << 40), 0.0f);
  EXPECT_EQ(tlp::ldexp(1.0f, ~std::uint64_t{0}), kInf);
  EXPECT_EQ(tlp::ldexp(1.5f, std::uint8_t{3}), 12.0f);
  EXPECT_EQ(tlp::ldexp(1.0, std::int8_t{-8}), 0x1p-8);
  EXPECT_EQ(float(tlp::ldexp(tlp::f16(1.0f), -24)), 0x1p-24f);
  EXPECT_EQ(tlp::ldexp(1.0f, -2147483647 - 1), 0.0f);
}

/// The product and the sum of f16 numbers are exact in an 80-bit float.
TEST(HostPreludeMathExact, HalfFmaRoundsOnce) {
  std::mt19937 random(5);
  for (int i = 0; i < 1 << 19; ++i) {
    auto h = [&] { return tlp::f16::of_bits(static_cast<std::uint16_t>(random())); };
    tlp::f16 a = h(), b = h(), c = h();
    long double exact = static_cast<long double>(float(a)) * float(b) + float(c);
    tlp::f16 got = tlp::fma(a, b, c);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(float(got)));
      continue;
    }
    // Nearest: no neighbour is closer.
    if (std::isinf(float(got))) {
      ASSERT_GE(std::fabs(exact), 65520.0L);
      continue;
    }
    long double distance = std::fabs(exact - float(got));
    for (int step : {1, -1}) {
      float neighbour = float(tlp::f16::of_bits(static_cast<std::uint16_t>(got.bits + step)));
      if (!std::isfinite(neighbour)) continue;
      ASSERT_LE(distance, std::fabs(exact - neighbour)) << float(a) << " " << float(b) << " " << float(c);
    }
  }
  // A tie that the addend's tail breaks: (1 + 2^-11) + 2^-24 rounds up, exactly 1 + 2^-11 to even.
  EXPECT_EQ(float(tlp::fma(tlp::f16(0x1p-11f), tlp::f16(1.0f), tlp::f16(1.0f))), 1.0f);
  EXPECT_EQ(float(tlp::fma(tlp::f16(0x1.004p-5f), tlp::f16(0x1p-6f), tlp::f16(1.0f))), 1.0f + 0x1p-10f);
  EXPECT_EQ(float(tlp::fma(tlp::bf16(0x1p-60f), tlp::bf16(0x1p-60f), tlp::bf16(1.0f))), 1.0f);
}

TEST(HostPreludeMathExact, FloatIntegerDivisionFollowsPython) {
  struct Row {
    float x, y, quotient, remainder;
  };
  for (Row row : {Row{7, 2, 3, 1}, Row{-7, 2, -4, 1}, Row{7, -2, -4, -1}, Row{-7, -2, 3, -1}, Row{5.5f, 0.25f, 22, 0},
                  Row{0, -3, -0.0f, -0.0f}, Row{6, 3, 2, 0}, Row{1, kInf, 0, 1}, Row{-1, kInf, -1, kInf}}) {
    EXPECT_EQ(tlp::floor_div(row.x, row.y), row.quotient) << row.x << " // " << row.y;
    EXPECT_EQ(std::signbit(tlp::floor_div(row.x, row.y)), std::signbit(row.quotient));
    EXPECT_FLOAT_EQ(tlp::floor_mod(row.x, row.y), row.remainder) << row.x << " % " << row.y;
    EXPECT_EQ(std::signbit(tlp::floor_mod(row.x, row.y)), std::signbit(row.remainder));
    EXPECT_EQ(tlp::trunc_div(row.x, row.y), std::trunc(row.x / row.y));
    EXPECT_EQ(tlp::trunc_mod(row.x, row.y), std::fmod(row.x, row.y));
  }
  EXPECT_EQ(tlp::floor_div(-1.0f, 0.0f), -kInf);
  EXPECT_TRUE(std::isnan(tlp::floor_mod(1.0, 0.0)));
  EXPECT_EQ(float(tlp::floor_mod(tlp::f16(-7.0f), tlp::f16(2.0f))), 1.0f);
}

TEST(HostPreludeMathExact, PowersAndLogarithmsOfTwo) {
  for (int n = -149; n < 128; ++n) {
    float power = std::ldexp(1.0f, n);
    EXPECT_EQ(tlp::exp2(static_cast<float>(n)), power);
    EXPECT_EQ(tlp::log2(power), static_cast<float>(n));
    EXPECT_EQ(tlp::pow(2.0f, static_cast<float>(n)), power);
  }
}

TEST(HostPreludeMathExact, Classification) {
  for (float x : {0.0f, -0.0f, 1.0f, 0x1p-149f, 3e38f, kInf, -kInf, kNan, -kNan}) {
    EXPECT_EQ(tlp::isnan(x), std::isnan(x));
    EXPECT_EQ(tlp::isinf(x), std::isinf(x));
    EXPECT_EQ(tlp::isfinite(x), std::isfinite(x));
    EXPECT_EQ(tlp::isnan(tlp::f16(x)), std::isnan(x));
    EXPECT_EQ(tlp::isinf(tlp::bf16(x)), std::isinf(x));
    EXPECT_EQ(tlp::isnan(double(x)), std::isnan(x));
    EXPECT_EQ(tlp::isfinite(double(x)), std::isfinite(x));
  }
}

TEST(HostPreludeMathExact, HalfTypesRoundTheFloatResultOnce) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto h = tlp::f16::of_bits(static_cast<std::uint16_t>(bits));
    auto b = tlp::bf16::of_bits(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(tlp::exp(h).bits, tlp::f16(tlp::exp(float(h))).bits);
    ASSERT_EQ(tlp::tanh(b).bits, tlp::bf16(tlp::tanh(float(b))).bits);
    ASSERT_EQ(tlp::sqrt(h).bits, tlp::f16(std::sqrt(double(float(h)))).bits | (float(h) < 0 ? 0x8000 : 0));
  }
}

TEST(HostPreludeMathExact, HalfNextafterStepsToTheNeighbour) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto h = tlp::f16::of_bits(static_cast<std::uint16_t>(bits));
    EXPECT_EQ(tlp::nextafter(h, tlp::f16(kInf)).bits, bits + 1);
    EXPECT_EQ(tlp::nextafter(-h, tlp::f16(-kInf)).bits, (bits + 1) | 0x8000);
    EXPECT_EQ(tlp::nextafter(h, tlp::f16(-kInf)).bits, bits == 0 ? 0x8001u : bits - 1);
  }
}

TEST(HostPreludeMathDouble, AgreesWithTheLibrary) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int i = 0; i < 1000; ++i) {
    double x = uniform(random), positive = std::fabs(x), unit = x / 3;
    EXPECT_EQ(tlp::exp(x), std::exp(x));
    EXPECT_EQ(tlp::log(positive), std::log(positive));
    EXPECT_EQ(tlp::sin(x), std::sin(x));
    EXPECT_EQ(tlp::asin(unit), std::asin(unit));
    EXPECT_EQ(tlp::tanh(x), std::tanh(x));
    EXPECT_EQ(tlp::erf(x), std::erf(x));
    EXPECT_EQ(tlp::pow(positive, x), std::pow(positive, x));
    EXPECT_EQ(tlp::rsqrt(positive), 1 / std::sqrt(positive));
    EXPECT_NEAR(tlp::sigmoid(x), 1 / (1 + std::exp(-x)), 3e-16);
    EXPECT_NEAR(tlp::exp10(x), std::pow(10, x), 1e-12);
    EXPECT_EQ(tlp::round(x), std::nearbyint(x));
  }
}

}  // namespace
