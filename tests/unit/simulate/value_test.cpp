// The loops over many lanes give what the arithmetic on single values gives.
#include "simulate/value.h"

#include <gtest/gtest.h>

#include <random>

#include "simulate/codec.h"

namespace tl::simulate {
namespace {

const std::vector<std::string_view> kDtypes = {
    "bool",         "int4",     "int8",          "int16",       "int32",           "int64",          "uint4",
    "uint8",        "uint16",   "uint32",        "uint64",      "float16",         "bfloat16",       "float32",
    "float64",      "tfloat32", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu", "float6_e2m3fn",
    "float4_e2m1fn"};

/// Small numbers and random patterns, zeros, NaN and infinities among them.
std::vector<Raw> samples(DType t, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Raw> out;
  for (int64_t i = -3; i <= 3; ++i) out.push_back(raw_of(Scalar::of_int(t, i)));
  for (int i = 0; i < 200; ++i) out.push_back(raw_of(Scalar::of_bits(t, random())));
  if (t.is_floating()) {
    for (const double x : {0.5, -0.0, 1e9, -1e-9, 1.0 / 0.0, -1.0 / 0.0}) out.push_back(raw_of(Scalar::of_float(t, x)));
  }
  if (t.bits() == 64 && t.is_integral()) out.push_back(raw_of(Scalar::of_int(t, INT64_MIN)));
  return out;
}

TEST(Value, BinaryLoopsEqualScalarArithmetic) {
  for (const std::string_view name : kDtypes) {
    const DType t = *parse_dtype(name);
    const std::vector<Raw> a = samples(t, 1), b = samples(t, 2);
    for (size_t o = 0; o < kNumBinaryOps; ++o) {
      const auto op = static_cast<BinaryOp>(o);
      if (!accepts(op, t)) continue;
      for (int step : {0, 1}) {
        std::vector<Raw> out(a.size());
        binary_kernel(op, t)(t, {a.data(), 1}, {b.data() + 5, step}, out.data(), {0, static_cast<int>(a.size()) - 5});
        for (size_t i = 0; i + 5 < a.size(); ++i) {
          const Raw y = b[5 + i * static_cast<size_t>(step)];
          ASSERT_EQ(out[i], raw_of(apply(op, scalar_of(t, a[i]), scalar_of(t, y))))
              << name << " " << scalar_of(t, a[i]).text() << " " << op_name(op) << " " << scalar_of(t, y).text();
        }
      }
    }
  }
}

TEST(Value, UnaryLoopsAndCastsEqualScalarArithmetic) {
  for (const std::string_view name : kDtypes) {
    const DType t = *parse_dtype(name);
    const std::vector<Raw> a = samples(t, 3);
    std::vector<Raw> out(a.size());
    for (size_t o = 0; o < kNumUnaryOps; ++o) {
      const auto op = static_cast<UnaryOp>(o);
      if (!accepts(op, t)) continue;
      unary_kernel(op, t)(t, {a.data(), 1}, out.data(), {0, static_cast<int>(a.size())});
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(out[i], raw_of(apply(op, scalar_of(t, a[i]))))
            << name << " " << op_name(op) << " " << scalar_of(t, a[i]).text();
      }
    }
    for (const std::string_view target : kDtypes) {
      const DType to = *parse_dtype(target);
      if (to == t) continue;
      cast_kernel(t, to)(t, to, {a.data(), 1}, out.data(), {0, static_cast<int>(a.size())});
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(out[i], raw_of(cast(scalar_of(t, a[i]), to)))
            << name << " to " << target << " " << scalar_of(t, a[i]).text();
      }
    }
  }
}

TEST(Value, MemoryHoldsThePatternsOfScalars) {
  for (const std::string_view name : kDtypes) {
    const DType t = *parse_dtype(name);
    const Codec codec(t);
    EXPECT_EQ(codec.bits(), t.storage_bits());
    std::mt19937_64 random(7);
    std::vector<uint8_t> in(64 * 8), out(64 * 8);
    for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
    for (int64_t i = 0; i < 64; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, in.data() + i * codec.bits() / 8, static_cast<size_t>((codec.bits() + 7) / 8));
      if (codec.bits() == 4) bits = bits >> (i % 2) * 4 & 15;
      const Raw raw = codec.load(in.data(), i);
      ASSERT_EQ(raw, raw_of(Scalar::of_bits(t, bits))) << name;
      codec.store(out.data(), i, raw);
      ASSERT_EQ(codec.load(out.data(), i), raw) << name;
    }
  }
}

TEST(Value, LaneSets) {
  LaneSet lanes(8), other(8);
  lanes.set_range(0, 8);
  lanes.retain([](int lane) { return lane % 3 != 0; });
  EXPECT_EQ(lanes.count(), 5);
  EXPECT_EQ(lanes.begin(), 1);
  EXPECT_FALSE(lanes.dense());
  other.set_range(5, 3);
  lanes.remove(other);
  EXPECT_EQ(lanes.count(), 3);
  EXPECT_EQ(lanes.end(), 5);
  lanes.add(other);
  EXPECT_EQ(lanes.count(), 6);
  lanes.clear();
  EXPECT_FALSE(lanes.any());
  lanes.add(other);
  EXPECT_EQ(lanes.begin(), 5);
  EXPECT_TRUE(lanes.dense());
}

}  // namespace
}  // namespace tl::simulate
