// The prelude's tile multiply against double sums, for every type, transposition and kind of edge.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backend/host/prelude/gemm.h"

namespace {

using tlp::bf16;
using tlp::f16;
using tlp::i64;

template <class T>
double value(T x) {
  if constexpr (tlp::is_half<T>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

template <class T>
constexpr double epsilon() {
  if constexpr (std::is_same_v<T, double>) return 0x1p-53;
  if constexpr (std::is_same_v<T, f16>) return 0x1p-11;
  if constexpr (std::is_same_v<T, bf16>) return 0x1p-8;
  return 0x1p-24;
}

/// A matrix between guard elements, so that a write outside it is seen.
template <class T>
struct Tile {
  i64 rows, columns, ld;
  std::vector<T> data;

  Tile(i64 rows, i64 columns, i64 ld, std::mt19937& random) : rows(rows), columns(columns), ld(ld) {
    data.resize(static_cast<std::size_t>(2 * ld + rows * ld));
    for (T& x : data) {
      if constexpr (std::is_integral_v<T>) {
        x = static_cast<T>(random());
      } else {
        x = T(std::uniform_real_distribution<float>(-2, 2)(random));
      }
    }
  }
  T* begin() { return data.data() + ld; }
  T at(i64 i, i64 j) const { return data[static_cast<std::size_t>(ld + i * ld + j)]; }
};

template <class A, class B, class C, bool TransposeA, bool TransposeB>
void check(i64 m, i64 n, i64 k, bool accumulate, std::mt19937& random) {
  constexpr bool integral = std::is_integral_v<A>;
  Tile<A> a(TransposeA ? k : m, TransposeA ? m : k, (TransposeA ? m : k) + 3, random);
  Tile<B> b(TransposeB ? n : k, TransposeB ? k : n, (TransposeB ? k : n) + 1, random);
  Tile<C> c(m, n, n + 5, random);
  Tile<C> before = c;
  tlp::gemm<TransposeA, TransposeB>(m, n, k, a.begin(), a.ld, b.begin(), b.ld, c.begin(), c.ld, accumulate);
  for (i64 i = -1; i <= m; ++i) {
    for (i64 j = 0; j < c.ld; ++j) {
      if (i < 0 || i == m || j >= n) {
        ASSERT_EQ(std::memcmp(&c.data[(i + 1) * c.ld + j], &before.data[(i + 1) * c.ld + j], sizeof(C)), 0)
            << "written outside at " << i << ", " << j;
        continue;
      }
      double sum = accumulate ? value(before.at(i, j)) : 0, magnitude = std::fabs(sum);
      for (i64 p = 0; p < k; ++p) {
        double product = value(TransposeA ? a.at(p, i) : a.at(i, p)) * value(TransposeB ? b.at(j, p) : b.at(p, j));
        sum += product;
        magnitude += std::fabs(product);
      }
      double got = value(c.at(i, j));
      if constexpr (integral) {
        ASSERT_EQ(c.at(i, j), static_cast<C>(static_cast<std::int64_t>(sum))) << i << ", " << j;
      } else {
        double compute = std::is_same_v<A, double> ? 0x1p-53 : 0x1p-24;
        double smallest = std::is_same_v<C, f16> ? 0x1p-25 : 0;  // half the spacing of subnormal results
        double bound = static_cast<double>(k + 2) * compute * magnitude + epsilon<C>() * std::fabs(sum) + smallest;
        ASSERT_LE(std::fabs(got - sum), bound * 1.001) << i << ", " << j << " of " << m << "x" << n << "x" << k;
      }
    }
  }
}

template <class A, class B, class C>
void check_all(i64 m, i64 n, i64 k, std::mt19937& random) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
  for (bool accumulate : {false, true}) {
    check<A, B, C, false, false>(m, n, k, accumulate, random);
    check<A, B, C, false, true>(m, n, k, accumulate, random);
    check<A, B, C, true, false>(m, n, k, accumulate, random);
    check<A, B, C, true, true>(m, n, k, accumulate, random);
  }
}

template <class A_, class B_, class C_>
struct Types {
  using A = A_;
  using B = B_;
  using C = C_;
};

template <class T>
class HostPreludeGemm : public testing::Test {};
using AllTypes =
    testing::Types<Types<float, float, float>, Types<double, double, double>, Types<f16, f16, float>,
                   Types<f16, f16, f16>, Types<bf16, bf16, float>, Types<bf16, bf16, bf16>, Types<float, float, f16>,
                   Types<float, float, double>, Types<std::int8_t, std::int8_t, std::int32_t>,
                   Types<std::uint8_t, std::uint8_t, std::int32_t>, Types<f16, float, float>>;
TYPED_TEST_SUITE(HostPreludeGemm, AllTypes);

TYPED_TEST(HostPreludeGemm, OddExtents) {
  std::mt19937 random(1);
  for (i64 m : {1, 7, 33}) {
    for (i64 n : {1, 7, 33, 64}) {
      for (i64 k : {1, 7, 63}) {
        check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(m, n, k, random);
      }
    }
  }
}

TYPED_TEST(HostPreludeGemm, WholeTiles) {
  std::mt19937 random(2);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(64, 64, 64, random);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(63, 100, 64, random);
}

TYPED_TEST(HostPreludeGemm, SeveralBlocks) {
  std::mt19937 random(3);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(130, 161, 259, random);
}

TYPED_TEST(HostPreludeGemm, EmptyExtents) {
  std::mt19937 random(4);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(5, 6, 0, random);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(0, 6, 7, random);
  check_all<typename TypeParam::A, typename TypeParam::B, typename TypeParam::C>(5, 0, 7, random);
}

TEST(HostPreludeGemmConstant, AgreesWithRunTimeExtents) {
  std::mt19937 random(5);
  Tile<float> a(48, 40, 40, random), b(40, 52, 52, random), c(48, 52, 52, random);
  Tile<float> d = c;
  tlp::gemm<false, false, 48, 52, 40>(a.begin(), a.ld, b.begin(), b.ld, c.begin(), c.ld, true);
  tlp::gemm<false, false>(48, 52, 40, a.begin(), a.ld, b.begin(), b.ld, d.begin(), d.ld, true);
  EXPECT_EQ(c.data, d.data);
}

TEST(HostPreludeGemmSpecial, NanAndInfinityPropagate) {
  const float inf = INFINITY;
  for (float special : {inf, -inf, NAN}) {
    float a[2] = {special, 0}, b[2] = {0, 1}, c[1] = {1};
    tlp::gemm<false, false>(1, 1, 2, a, 2, b, 1, c, 1, true);
    EXPECT_TRUE(std::isnan(c[0]));
    f16 h[2] = {f16(special), f16(0.0f)}, one[2] = {f16(1.0f), f16(1.0f)};
    tlp::gemm<false, true>(1, 1, 2, h, 2, one, 2, c, 1, false);
    EXPECT_TRUE(std::isnan(special) ? std::isnan(c[0]) : c[0] == special);
  }
}

TEST(HostPreludeGemmInteger, ExtremeValuesAreExact) {
  std::vector<std::int8_t> a(300, -128), b(300, -128);
  std::int32_t c = 5;
  tlp::gemm<false, true>(1, 1, 300, a.data(), 300, b.data(), 300, &c, 1, true);
  EXPECT_EQ(c, 5 + 300 * 16384);
  std::vector<std::uint8_t> u(300, 255);
  tlp::gemm<false, true>(1, 1, 300, u.data(), 300, u.data(), 300, &c, 1, false);
  EXPECT_EQ(c, 300 * 65025);
}

}  // namespace
