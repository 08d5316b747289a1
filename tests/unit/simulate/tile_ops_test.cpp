// Tile operations on every kind of region.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

constexpr std::string_view kGemm = R"(
func @gemm symbols [%m: int32, %n: int32, %k: int32] params [%A: global float32[%m, %k], %B: global float32[%k, %n], %C: global float32[%m, %n]] {
  launch [%bx: int32, %by: int32], [ceildiv_n, ceildiv_m], threads=[128] {
    alloc %a: shared float32[32, 16]
    alloc %b: shared float32[16, 32]
    alloc %c: fragment float32[32, 32]
    tile.fill dst=%c[0 :+ 32, 0 :+ 32], value=0.0
    for %ko: int32, 0, floordiv(%k + 15, 16), loop=pipelined, stages=3 {
      tile.copy src=%A[%by * 32 :+ 32, %ko * 16 :+ 16], dst=%a[0 :+ 32, 0 :+ 16]
      tile.copy src=%B[%ko * 16 :+ 16, %bx * 32 :+ 32], dst=%b[0 :+ 16, 0 :+ 32]
      tile.gemm a=%a[0 :+ 32, 0 :+ 16], b=%b[0 :+ 16, 0 :+ 32], c=%c[0 :+ 32, 0 :+ 32]
    }
    parallel [%i: int32, %j: int32], [32, 32] {
      store %c, [%i, %j], max(%c[%i, %j], 0.0)
    }
    tile.copy src=%c[0 :+ 32, 0 :+ 32], dst=%C[%by * 32 :+ 32, %bx * 32 :+ 32]
  }
}
)";

std::string gemm_program() {
  std::string text(kGemm);
  text.replace(text.find("ceildiv_n"), 9, "floordiv(%n + 31, 32)");
  text.replace(text.find("ceildiv_m"), 9, "floordiv(%m + 31, 32)");
  return text;
}

TEST(TileOps, GemmWithTailsOnAllSides) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{64, 32, 16}, {33, 70, 17}, {1, 1, 1}, {5, 31, 0}, {0, 4, 4}}) {
    Array a(DType::f32(), {m, k}, [](int64_t i) { return static_cast<double>(i * 7 % 11 - 5); });
    Array b(DType::f32(), {k, n}, [](int64_t i) { return static_cast<double>(i * 5 % 13 - 6); });
    Array c(DType::f32(), {m, n}, [](int64_t) { return -1.0; });
    const RunReport report = run(gemm_program(), {a.arg(), b.arg(), c.arg()}, {.order_seed = 3});
    EXPECT_EQ(summary(report), "");
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double want = 0;
        for (int64_t x = 0; x < k; ++x) want += a.at(i * k + x).as_float() * b.at(x * n + j).as_float();
        ASSERT_EQ(c.at(i * n + j).as_float(), std::max(want, 0.0)) << i << "," << j;
      }
    }
  }
}

/// C[2, 3] += op(A) op(B) on global arrays, with the shapes of the operands as they lie in memory.
std::string gemm_on(const std::string& in, const std::string& out, const std::string& a, const std::string& b,
                    const std::string& options) {
  return "func @g params [%A: global " + in + a + ", %B: global " + in + b + ", %C: global " + out +
         "[2, 3]] {\n  launch [%b: int32], [1] {\n    tile.gemm a=%A" +
         (a == "[2, 4]" ? "[0 :+ 2, 0 :+ 4]" : "[0 :+ 4, 0 :+ 2]") + ", b=%B" +
         (b == "[4, 3]" ? "[0 :+ 4, 0 :+ 3]" : "[0 :+ 3, 0 :+ 4]") + ", c=%C[0 :+ 2, 0 :+ 3]" + options + "\n  }\n}\n";
}

TEST(TileOps, GemmOfEveryDtypeAndTranspose) {
  const struct {
    const char *in, *out;
  } rows[] = {{"float16", "float32"}, {"float16", "float16"}, {"bfloat16", "float32"}, {"float32", "float32"},
              {"float64", "float64"}, {"int8", "int32"},      {"uint8", "int32"},      {"float8_e4m3fn", "float32"}};
  for (const auto& row : rows) {
    for (int mode = 0; mode < 8; ++mode) {
      const bool ta = mode & 1, tb = mode & 2, clear = mode & 4;
      const DType in = *parse_dtype(row.in), out = *parse_dtype(row.out);
      Array a(in, ta ? std::vector<int64_t>{4, 2} : std::vector<int64_t>{2, 4},
              [](int64_t i) { return static_cast<double>(i % 5); });
      Array b(in, tb ? std::vector<int64_t>{3, 4} : std::vector<int64_t>{4, 3},
              [](int64_t i) { return static_cast<double>(i % 4); });
      Array c(out, {2, 3}, [](int64_t i) { return static_cast<double>(i); });
      const std::string options = std::string(ta ? ", transpose_a=true" : "") + (tb ? ", transpose_b=true" : "") +
                                  (clear ? ", clear=true" : "");
      const std::string text = gemm_on(row.in, row.out, ta ? "[4, 2]" : "[2, 4]", tb ? "[3, 4]" : "[4, 3]", options);
      EXPECT_EQ(summary(run(text, {a.arg(), b.arg(), c.arg()})), "");
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 3; ++j) {
          double want = clear ? 0 : i * 3 + j;
          for (int k = 0; k < 4; ++k)
            want += a.at(ta ? k * 2 + i : i * 4 + k).to_double() * b.at(tb ? j * 4 + k : k * 3 + j).to_double();
          EXPECT_EQ(c.at(i * 3 + j).to_double(), want) << text;
        }
      }
    }
  }
}

TEST(TileOps, NarrowGemmSumsInFloat32) {
  // 2048 + 1 + 1 is 2050 in float32; in float16 each 1 would be lost.
  Array a(DType::f16(), {1, 3}, [](int64_t i) { return i == 0 ? 2048.0 : 1.0; });
  Array b(DType::f16(), {3, 1}, [](int64_t) { return 1.0; });
  Array c(DType::f16(), {1, 1});
  run("func @g params [%A: global float16[1, 3], %B: global float16[3, 1], %C: global float16[1, 1]] { launch [%b: "
      "int32], [1] {"
      " tile.gemm a=%A[0 :+ 1, 0 :+ 3], b=%B[0 :+ 3, 0 :+ 1], c=%C[0 :+ 1, 0 :+ 1] } }",
      {a.arg(), b.arg(), c.arg()});
  EXPECT_EQ(c.at(0).as_float(), 2050.0);
}

TEST(TileOps, CopyConvertsPadsAndMatchesExtents) {
  Array a(DType::f32(), {5}, [](int64_t i) { return i + 0.75; });
  Array c(DType::i8(), {2, 8});
  const RunReport report = run(R"(func @f params [%A: global float32[5], %C: global int8[2, 8]] {
    launch [%b: int32], [1] {
      alloc %s: shared float16[1, 8]
      tile.copy src=%A[2 :+ 8], dst=%s[0 :+ 1, 0 :+ 8], pad=-9.0
      tile.copy src=%s[0 :+ 1, 0 :+ 8], dst=%C[1 :+ 1, 0 :+ 8]
      tile.copy src=%A[-2 :+ 4], dst=%C[0 :+ 1, 6 :+ 4]
    } })",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(c.values(), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 4, -9, -9, -9, -9, -9}));
}

TEST(TileOps, CopyKeepsEveryBit) {
  // A signalling NaN with a payload travels through float32 and float16 buffers unchanged.
  Array a(DType::f32(), {2}), c(DType::f32(), {2});
  const uint32_t patterns[2] = {0x7F800001u, 0xFFC12345u};
  std::memcpy(a.bytes.data(), patterns, 8);
  run("func @f params [%A: global float32[2], %C: global float32[2]] { launch [%b: int32], [1] { alloc %s: shared "
      "float32[2]"
      " tile.copy src=%A[0 :+ 2], dst=%s[0 :+ 2]  parallel [%i: int32], [2] { store %C, [%i], %s[%i] } } }",
      {a.arg(), c.arg()});
  EXPECT_EQ(c.bytes, a.bytes);
}

TEST(TileOps, PackedFourBitElements) {
  Array a(DType::i4(), {7}, [](int64_t i) { return static_cast<double>(i - 4); });
  Array c(DType::i4(), {9}, [](int64_t) { return 3.0; });
  const RunReport report = run(R"(func @f params [%A: global int4[7], %C: global int4[9]] {
    launch [%b: int32], [1] {
      alloc %s: shared int4[7]
      tile.copy src=%A[0 :+ 7], dst=%s[0 :+ 7]
      tile.copy src=%s[0 :+ 7], dst=%C[1 :+ 7]
    } })",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(c.values(), (std::vector<double>{3, -4, -3, -2, -1, 0, 1, 2, 3}));
}

TEST(TileOps, StridedArgument) {
  std::vector<float> memory(12);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const TensorArg every_second{memory.data(), DType::f32(), {2, 3}, {6, 2}};
  Array c(DType::f32(), {2, 3});
  run("func @f symbols [%s0: int64, %s1: int64] params [%A: global float32[2, 3] strides [%s0, %s1], %C: global "
      "float32[2, 3]] {"
      " launch [%b: int32], [1] { tile.copy src=%A[0 :+ 2, 0 :+ 3], dst=%C[0 :+ 2, 0 :+ 3] } }",
      {every_second, c.arg()});
  EXPECT_EQ(c.values(), (std::vector<double>{0, 2, 4, 6, 8, 10}));
}

std::vector<double> reduce(const std::string& kind, const std::string& src, const std::string& dst, Array a, Array c,
                           const std::string& rest) {
  const RunReport report = run("func @f params [%A: global " + a.dtype.name() + src + ", %C: global " + c.dtype.name() +
                                   dst + "] { launch [%b: int32], [1] { tile.reduce " + kind + ", " + rest + " } }",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  return c.values();
}

TEST(TileOps, ReduceEveryKindAndDimension) {
  const auto value = [](int64_t i) { return static_cast<double>(i % 2 == 0 ? i : -i); };  // 0 -1 2 / -3 4 -5
  const Array a(DType::f32(), {2, 3}, value);
  const Array rows(DType::f32(), {2}, [](int64_t) { return 10.0; });
  const std::string along1 = "src=%A[0 :+ 2, 0 :+ 3], dst=%C[0 :+ 2], 1";
  EXPECT_EQ(reduce("sum", "[2, 3]", "[2]", a, rows, along1), (std::vector<double>{1, -4}));
  EXPECT_EQ(reduce("sum", "[2, 3]", "[2]", a, rows, along1 + ", clear=false"), (std::vector<double>{11, 6}));
  EXPECT_EQ(reduce("abssum", "[2, 3]", "[2]", a, rows, along1), (std::vector<double>{3, 12}));
  EXPECT_EQ(reduce("max", "[2, 3]", "[2]", a, rows, along1), (std::vector<double>{2, 4}));
  EXPECT_EQ(reduce("max", "[2, 3]", "[2]", a, rows, along1 + ", clear=false"), (std::vector<double>{10, 10}));
  EXPECT_EQ(reduce("min", "[2, 3]", "[2]", a, rows, along1), (std::vector<double>{-1, -5}));
  EXPECT_EQ(reduce("absmax", "[2, 3]", "[2]", a, rows, along1), (std::vector<double>{2, 5}));
  const Array columns(DType::f32(), {1, 3});
  const std::string along0 = "src=%A[0 :+ 2, 0 :+ 3], dst=%C[0 :+ 1, 0 :+ 3], 0";
  EXPECT_EQ(reduce("sum", "[2, 3]", "[1, 3]", a, columns, along0), (std::vector<double>{-3, 3, -3}));
  const Array bits(DType::i32(), {4}, [](int64_t i) { return static_cast<double>(6 + i); });
  const Array one(DType::i32(), {1});
  const std::string all = "src=%A[0 :+ 4], dst=%C[0 :+ 1], 0";
  EXPECT_EQ(reduce("bitand", "[4]", "[1]", bits, one, all), (std::vector<double>{0}));
  EXPECT_EQ(reduce("bitor", "[4]", "[1]", bits, one, all), (std::vector<double>{15}));
  EXPECT_EQ(reduce("bitxor", "[4]", "[1]", bits, one, all), (std::vector<double>{6 ^ 7 ^ 8 ^ 9}));
}

TEST(TileOps, ReduceWidensNarrowFloatsAndKeepsNaN) {
  const Array a(DType::f16(), {3}, [](int64_t i) { return i == 0 ? 2048.0 : 1.0; });
  EXPECT_EQ(reduce("sum", "[3]", "[1]", a, Array(DType::f16(), {1}), "src=%A[0 :+ 3], dst=%C[0 :+ 1], 0"),
            (std::vector<double>{2050}));
  const Array b(DType::f32(), {3}, [](int64_t i) { return i == 1 ? NAN : -1.0; });
  for (const char* kind : {"max", "min"}) {
    EXPECT_TRUE(
        std::isnan(reduce(kind, "[3]", "[1]", b, floats({5}), "src=%A[0 :+ 3], dst=%C[0 :+ 1], 0, clear=false")[0]));
  }
  const Array c(DType::i8(), {4}, [](int64_t) { return -128.0; });
  EXPECT_EQ(reduce("sum", "[4]", "[1]", c, ints({0}), "src=%A[0 :+ 4], dst=%C[0 :+ 1], 0"),
            (std::vector<double>{-512}));
  EXPECT_EQ(reduce("abssum", "[4]", "[1]", c, ints({0}), "src=%A[0 :+ 4], dst=%C[0 :+ 1], 0"),
            (std::vector<double>{512}));
}

TEST(TileOps, MistakesOfShapes) {
  Array a = floats({1, 2, 3, 4});
  const auto code = [&](const std::string& op) {
    return code_of([&] {
      run("func @f params [%A: global float32[4]] { launch [%b: int32], [1] { alloc %s: shared float32[4, 4] " + op +
              " } }",
          {a.arg()});
    });
  };
  EXPECT_EQ(code("tile.copy src=%A[0 :+ 4], dst=%s[0 :+ 1, 0 :+ 3]"), 40);
  EXPECT_EQ(code("tile.reduce sum, src=%s[0 :+ 4, 0 :+ 4], dst=%A[0 :+ 3], 1"), 50);
  EXPECT_EQ(code("tile.gemm a=%s[0 :+ 4, 0 :+ 3], b=%s[0 :+ 4, 0 :+ 4], c=%s[0 :+ 4, 0 :+ 4]"), 31);
}

TEST(TileOps, ViewAndRelayout) {
  Array a(DType::i32(), {4}, [](int64_t i) { return static_cast<double>(0x01020304 + i); });
  Array c(DType::u8(), {16});
  const RunReport report = run(R"(func @f params [%A: global int32[4], %C: global uint8[16]] {
    launch [%b: int32], [1] {
      alloc %s: shared int32[2, 2]
      view %flat: shared int32[4], %s
      view %bytes: shared uint8[16], %flat
      alloc %t: fragment uint8[16]
      tile.copy src=%A[0 :+ 4], dst=%flat[0 :+ 4]
      tile.relayout src=%bytes[0 :+ 16], dst=%t[0 :+ 16]
      tile.copy src=%t[0 :+ 16], dst=%C[0 :+ 16]
    } })",
                               {a.arg(), c.arg()});
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(c.bytes, a.bytes);
}

}  // namespace
}  // namespace tl
