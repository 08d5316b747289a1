// The prelude's integer arithmetic against 128-bit arithmetic: every pair of int8/uint8, edges and random of the rest.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "backend/host/prelude/integer.h"
#include "backend/host/prelude/minmax.h"

namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

Wide floor_quotient(Wide a, Wide b) {
  if (b == 0) return 0;
  Wide q = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}
Wide floor_remainder(Wide a, Wide b) { return b == 0 ? Wide(0) : a - floor_quotient(a, b) * b; }

template <class T>
void check_pair(T a, T b) {
  Wide x = a, y = b, quotient = y == 0 ? Wide(0) : x / y;
  ASSERT_EQ(tlp::wrap_add(a, b), static_cast<T>(x + y));
  ASSERT_EQ(tlp::wrap_sub(a, b), static_cast<T>(x - y));
  ASSERT_EQ(tlp::wrap_mul(a, b), static_cast<T>(static_cast<WideUnsigned>(x) * static_cast<WideUnsigned>(y)));
  ASSERT_EQ(tlp::wrap_neg(a), static_cast<T>(-x));
  ASSERT_EQ(tlp::abs(a), static_cast<T>(x < 0 ? -x : x));
  ASSERT_EQ(tlp::trunc_div(a, b), static_cast<T>(quotient));
  ASSERT_EQ(tlp::trunc_mod(a, b), static_cast<T>(y == 0 ? Wide(0) : x % y));
  ASSERT_EQ(tlp::floor_div(a, b), static_cast<T>(floor_quotient(x, y))) << +a << " // " << +b;
  ASSERT_EQ(tlp::floor_mod(a, b), static_cast<T>(floor_remainder(x, y))) << +a << " % " << +b;
  ASSERT_EQ(tlp::ceil_div(a, b), static_cast<T>(-floor_quotient(-x, y))) << +a << " ceil / " << +b;
  constexpr int width = 8 * sizeof(T);
  bool inside = y >= 0 && y < width;
  ASSERT_EQ(tlp::shift_left(a, b), inside ? static_cast<T>(static_cast<WideUnsigned>(x) << b) : T(0));
  ASSERT_EQ(tlp::shift_right(a, b), static_cast<T>(inside ? x >> static_cast<int>(b) : (x < 0 ? Wide(-1) : Wide(0))));
}

template <class T>
void check_bits(T a) {
  int ones = 0, leading = 0, first = 0;
  constexpr int width = 8 * sizeof(T);
  for (int i = 0; i < width; ++i) {
    if (static_cast<std::uint64_t>(a) >> i & 1) {
      ++ones;
      leading = i + 1;
      if (first == 0) first = i + 1;
    }
  }
  ASSERT_EQ(tlp::popcount(a), ones);
  ASSERT_EQ(tlp::clz(a), width - leading);
  ASSERT_EQ(tlp::ffs(a), first);
}

template <class T>
class HostPreludeInteger : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(HostPreludeInteger, Integers);

TYPED_TEST(HostPreludeInteger, AgreesWithWideArithmetic) {
  using T = TypeParam;
  std::vector<T> values;
  if (sizeof(T) == 1) {
    for (int i = 0; i < 256; ++i) values.push_back(static_cast<T>(i));
  } else {
    for (int bit = 0; bit < static_cast<int>(8 * sizeof(T)); ++bit) {
      for (int near = -1; near <= 1; ++near) values.push_back(static_cast<T>((std::uint64_t{1} << bit) + near));
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) values.push_back(static_cast<T>(random() >> (random() % 64)));
    values.push_back(0);
  }
  for (T a : values) {
    check_bits(a);
    for (T b : values) check_pair(a, b);
  }
}

template <class T, T B>
void check_constant_divisor() {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10000; ++i) {
    T a = static_cast<T>(random() >> (random() % 64));
    ASSERT_EQ(tlp::floor_div(a, B), static_cast<T>(floor_quotient(a, B)));
    ASSERT_EQ(tlp::floor_mod(a, B), static_cast<T>(floor_remainder(a, B)));
    ASSERT_EQ(tlp::trunc_div(a, B), static_cast<T>(B == 0 ? Wide(0) : Wide(a) / (B == 0 ? T(1) : B)));
    ASSERT_EQ(tlp::trunc_mod(a, B), static_cast<T>(B == 0 ? Wide(0) : Wide(a) % (B == 0 ? T(1) : B)));
    ASSERT_EQ(tlp::ceil_div(a, B), static_cast<T>(-floor_quotient(-Wide(a), B)));
  }
}

TYPED_TEST(HostPreludeInteger, ConstantDivisors) {
  check_constant_divisor<TypeParam, 0>();
  check_constant_divisor<TypeParam, 1>();
  check_constant_divisor<TypeParam, 3>();
  check_constant_divisor<TypeParam, 64>();
  check_constant_divisor<TypeParam, 100>();
  check_constant_divisor<TypeParam, static_cast<TypeParam>(-1)>();
  check_constant_divisor<TypeParam, static_cast<TypeParam>(-6)>();
  check_constant_divisor<TypeParam, std::numeric_limits<TypeParam>::max()>();
  check_constant_divisor<TypeParam, std::numeric_limits<TypeParam>::min()>();
}

TEST(HostPreludeIntegerShift, CountsOfAnotherType) {
  EXPECT_EQ(tlp::shift_left(std::int8_t{1}, std::int64_t{8}), 0);
  EXPECT_EQ(tlp::shift_left(std::int32_t{1}, std::int64_t{1} << 32), 0);
  EXPECT_EQ(tlp::shift_right(std::int32_t{-5}, -1), -1);
  EXPECT_EQ(tlp::shift_right(std::uint32_t{5}, -1), 0u);
}

}  // namespace
