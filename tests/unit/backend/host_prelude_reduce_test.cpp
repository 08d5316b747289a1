// Reductions and copies of the prelude against plain loops, at lengths around every vector boundary.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backend/host/prelude/copy.h"
#include "backend/host/prelude/reduce.h"

namespace {

using tlp::bf16;
using tlp::cast;
using tlp::f16;
using tlp::i64;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
T random_value(std::mt19937& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else {
    return T(std::uniform_real_distribution<float>(-2, 2)(random));
  }
}

template <class T>
std::vector<T> random_values(i64 n, std::mt19937& random) {
  std::vector<T> values;
  for (i64 i = 0; i < n; ++i) values.push_back(random_value<T>(random));
  return values;
}

template <class T>
double as_double(T x) {
  if constexpr (tlp::is_half<T>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

template <class Acc, class T>
void check_row(const std::vector<T>& x) {
  const i64 n = static_cast<i64>(x.size());
  double sum = 0, abssum = 0, largest = -kInf, smallest = kInf, absmax = 0;
  for (T v : x) {
    double d = as_double(v);
    sum += d, abssum += std::fabs(d);
    largest = std::max(largest, d), smallest = std::min(smallest, d), absmax = std::max(absmax, std::fabs(d));
  }
  double bound = static_cast<double>(n + 2) * (std::is_same_v<Acc, double> ? 0x1p-53 : 0x1p-24) * abssum;
  ASSERT_NEAR((tlp::reduce_row<tlp::sum_of, Acc>(x.data(), n)), sum, bound) << n;
  ASSERT_NEAR((tlp::reduce_row<tlp::abssum_of, Acc>(x.data(), n)), abssum, bound) << n;
  ASSERT_EQ((tlp::reduce_row<tlp::max_of, Acc>(x.data(), n)), largest) << n;
  ASSERT_EQ((tlp::reduce_row<tlp::min_of, Acc>(x.data(), n)), smallest) << n;
  ASSERT_EQ((tlp::reduce_row<tlp::absmax_of, Acc>(x.data(), n)), absmax) << n;
}

TEST(HostPreludeReduce, FloatingRows) {
  std::mt19937 random(1);
  for (i64 n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 229, 1000, 4096, 4099}) {
    check_row<float>(random_values<float>(n, random));
    check_row<double>(random_values<double>(n, random));
    check_row<float>(random_values<f16>(n, random));
    check_row<float>(random_values<bf16>(n, random));
  }
}

TEST(HostPreludeReduce, NanAnywhereWinsAndPlusZeroIsLargest) {
  for (i64 n : {1, 5, 16, 70, 200}) {
    for (i64 at = 0; at < n; ++at) {
      std::vector<float> x(static_cast<std::size_t>(n), 1.0f);
      x[at] = kNan;
      EXPECT_TRUE(std::isnan(tlp::reduce_row<tlp::max_of, float>(x.data(), n)));
      EXPECT_TRUE(std::isnan(tlp::reduce_row<tlp::min_of, float>(x.data(), n)));
      EXPECT_TRUE(std::isnan(tlp::reduce_row<tlp::absmax_of, float>(x.data(), n)));
      std::fill(x.begin(), x.end(), -0.0f);
      EXPECT_TRUE(std::signbit(tlp::reduce_row<tlp::max_of, float>(x.data(), n)));
      x[at] = 0.0f;
      EXPECT_FALSE(std::signbit(tlp::reduce_row<tlp::max_of, float>(x.data(), n)));
      std::fill(x.begin(), x.end(), 0.0f);
      x[at] = -0.0f;
      EXPECT_TRUE(std::signbit(tlp::reduce_row<tlp::min_of, float>(x.data(), n)));
    }
  }
}

template <class T>
class HostPreludeReduceIntegers : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(HostPreludeReduceIntegers, Integers);

TYPED_TEST(HostPreludeReduceIntegers, RowsWrap) {
  using T = TypeParam;
  std::mt19937 random(2);
  for (i64 n : {0, 1, 15, 64, 129, 1000}) {
    std::vector<T> x = random_values<T>(n, random);
    T sum = 0, all = static_cast<T>(~T(0)), any = 0, parity = 0;
    T largest = std::numeric_limits<T>::min(), smallest = std::numeric_limits<T>::max();
    for (T v : x) {
      sum = static_cast<T>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(v));
      all &= v, any |= v, parity ^= v;
      largest = std::max(largest, v), smallest = std::min(smallest, v);
    }
    EXPECT_EQ((tlp::reduce_row<tlp::sum_of, T>(x.data(), n)), sum);
    EXPECT_EQ((tlp::reduce_row<tlp::max_of, T>(x.data(), n)), largest);
    EXPECT_EQ((tlp::reduce_row<tlp::min_of, T>(x.data(), n)), smallest);
    EXPECT_EQ((tlp::reduce_row<tlp::bitand_of, T>(x.data(), n)), all);
    EXPECT_EQ((tlp::reduce_row<tlp::bitor_of, T>(x.data(), n)), any);
    EXPECT_EQ((tlp::reduce_row<tlp::bitxor_of, T>(x.data(), n)), parity);
  }
}

TEST(HostPreludeReduce, Bools) {
  const bool mixed[] = {false, true, false}, yes[] = {true, true};
  EXPECT_FALSE((tlp::reduce_row<tlp::bitand_of, bool>(mixed, 3)));
  EXPECT_TRUE((tlp::reduce_row<tlp::bitand_of, bool>(yes, 2)));
  EXPECT_TRUE((tlp::reduce_row<tlp::bitor_of, bool>(mixed, 3)));
  EXPECT_FALSE((tlp::reduce_row<tlp::bitxor_of, bool>(yes, 2)));
  EXPECT_TRUE((tlp::reduce_row<tlp::max_of, bool>(mixed, 3)));
  EXPECT_FALSE((tlp::reduce_row<tlp::min_of, bool>(mixed, 3)));
  EXPECT_TRUE((tlp::reduce_row<tlp::min_of, bool>(mixed, 0)));
}

template <class Op, class Acc, class T>
void check_columns(i64 rows, i64 columns, std::mt19937& random) {
  const i64 ld = columns + 3;
  std::vector<T> x = random_values<T>(rows * ld, random);
  std::vector<Acc> out(static_cast<std::size_t>(columns + 1), Acc(77));
  tlp::reduce_columns<Op>(out.data(), x.data(), rows, columns, ld);
  EXPECT_EQ(out[static_cast<std::size_t>(columns)], Acc(77));
  for (i64 j = 0; j < columns; ++j) {
    Acc expected = Op::template identity<Acc>;
    for (i64 i = 0; i < rows; ++i) expected = Op::combine(expected, Op::element(cast<Acc>(x[i * ld + j])));
    ASSERT_EQ(out[static_cast<std::size_t>(j)], expected) << rows << "x" << columns << " column " << j;
  }
}

TEST(HostPreludeReduce, Columns) {
  std::mt19937 random(3);
  for (i64 rows : {0, 1, 5, 64}) {
    for (i64 columns : {1, 7, 64, 100, 229}) {
      check_columns<tlp::sum_of, float, float>(rows, columns, random);
      check_columns<tlp::sum_of, float, f16>(rows, columns, random);
      check_columns<tlp::max_of, float, bf16>(rows, columns, random);
      check_columns<tlp::absmax_of, double, double>(rows, columns, random);
      check_columns<tlp::sum_of, std::int32_t, std::int8_t>(rows, columns, random);
      check_columns<tlp::bitxor_of, std::uint16_t, std::uint16_t>(rows, columns, random);
      check_columns<tlp::min_of, std::int64_t, std::int64_t>(rows, columns, random);
    }
  }
}

template <class D, class S>
void check_copies(i64 n, i64 offset, std::mt19937& random) {
  std::vector<S> src = random_values<S>(n, random);
  const D background = cast<D>(std::int32_t{1});
  std::vector<D> copied(static_cast<std::size_t>(n + offset + 80), background), streamed = copied;
  tlp::copy_row(copied.data() + offset, src.data(), n);
  tlp::stream_row(streamed.data() + offset, src.data(), n);
  tlp::stream_fence();
  for (i64 i = 0; i < static_cast<i64>(copied.size()); ++i) {
    bool inside = i >= offset && i < offset + n;
    D expected = inside ? cast<D>(src[static_cast<std::size_t>(i - offset)]) : background;
    ASSERT_EQ(std::memcmp(&copied[i], &expected, sizeof(D)), 0) << i;
    ASSERT_EQ(std::memcmp(&streamed[i], &expected, sizeof(D)), 0) << i;
  }
}

TEST(HostPreludeCopy, RowsConvertAtAnyAlignmentAndWriteNothingElse) {
  std::mt19937 random(4);
  for (i64 n : {0, 1, 15, 16, 63, 64, 65, 200, 1000}) {
    for (i64 offset : {0, 1, 5, 16, 31}) {
      check_copies<float, float>(n, offset, random);
      check_copies<double, double>(n, offset, random);
      check_copies<f16, f16>(n, offset, random);
      check_copies<float, f16>(n, offset, random);
      check_copies<bf16, float>(n, offset, random);
      check_copies<std::int8_t, std::int8_t>(n, offset, random);
      check_copies<std::int8_t, std::int32_t>(n, offset, random);
      check_copies<std::int32_t, float>(n, offset, random);
    }
  }
}

TEST(HostPreludeCopy, StreamMapCallsEachElement) {
  for (i64 n : {0, 1, 63, 64, 65, 1000}) {
    std::vector<float> dst(static_cast<std::size_t>(n + 1), -1.0f);
    tlp::stream_map(dst.data(), n, [](i64 i) { return static_cast<float>(i); });
    tlp::stream_fence();
    for (i64 i = 0; i < n; ++i) ASSERT_EQ(dst[static_cast<std::size_t>(i)], static_cast<float>(i));
    ASSERT_EQ(dst.back(), -1.0f);
  }
}

TEST(HostPreludeCopy, Tiles) {
  std::mt19937 random(5);
  std::vector<float> src = random_values<float>(7 * 40, random);
  std::vector<f16> dst(9 * 50, f16(9.0f));
  tlp::copy_tile(dst.data() + 50, 50, src.data(), 40, 7, 33);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 50; ++j) {
      bool inside = i >= 1 && i < 8 && j < 33;
      ASSERT_EQ(dst[i * 50 + j].bits, (inside ? f16(src[(i - 1) * 40 + j]) : f16(9.0f)).bits);
    }
  }
}

}  // namespace
