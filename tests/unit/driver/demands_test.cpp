#include "driver/demands.h"

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "driver/differential.h"
#include "ir/text.h"

namespace tl {
namespace {

/// C[i, j] = A[i, j] over run-time sizes and strides, a row of 256 elements a tile program.
std::string rows(const std::string& symbols, const std::string& a, const std::string& c) {
  return "func @f symbols [" + symbols + "] params [%A: global float32" + a + ", %C: global float32" + c +
         "] {\n"
         "  launch [%bx: int32, %by: int32], [4, %m], threads=[64] {\n"
         "    parallel [%i: int32], [256] {\n"
         "      store %C, [%by, %bx * 256 + %i], %A[%by, %bx * 256 + %i]\n"
         "    }\n  }\n}\n";
}

std::string plain_rows() { return rows("%m: int32, %n: int32", "[%m, %n]", "[%m, %n]"); }
std::string strided_rows() {
  return rows("%m: int32, %n: int32, %s: int32, %t: int32", "[%m, %n] strides [%s, %t]", "[%m, %n]");
}

Artifact compiled(const std::string& text) {
  CompileOptions options;
  options.target = "sm_90a";
  return compile(*parse_function(text), options).artifact;
}

/// A tensor of this shape at an address, of which nothing is read.
struct At {
  uint64_t address;
  std::vector<int64_t> shape, strides;
};

/// Name of the variant that a call takes.
std::string taken(const Artifact& artifact, const std::vector<At>& tensors) {
  std::vector<Argument> call;
  for (const At& t : tensors) {
    Argument& a = call.emplace_back();
    a.kind = Argument::Kind::kTensor;
    a.tensor.data = reinterpret_cast<void*>(t.address);
    a.tensor.dtype = DType::f32();
    a.tensor.rank = static_cast<int32_t>(t.shape.size());
    a.tensor.shape = t.shape.data();
    a.tensor.strides = t.strides.empty() ? nullptr : t.strides.data();
    a.tensor.device = {Device::kCuda, 0};
  }
  const BoundCall bound = bind_call(artifact, call);
  for (const Variant& variant : artifact.variants) {
    if (variant.predicate.evaluate(bound.slots) != 0) return variant.name;
  }
  return "none";
}

constexpr const char* kFast = "tensors aligned to 16 bytes, n % 4 == 0, sizes below 2^31";

TEST(Demands, RunTimeRowsAreDivisibleAndSmallInTheFirstVariant) {
  const Artifact artifact = compiled(plain_rows());
  ASSERT_EQ(artifact.variants.size(), 2u);
  EXPECT_EQ(artifact.variants[0].name, kFast);
  EXPECT_NE(artifact.source.find("copy<4>("), std::string::npos) << artifact.source;
  EXPECT_NE(artifact.source.find("const int bx"), std::string::npos) << artifact.source;
  const std::string& general = artifact.later[0].source;
  EXPECT_EQ(general.find("copy<4>("), std::string::npos) << general;
  EXPECT_NE(general.find("const i64 bx"), std::string::npos) << general;
}

TEST(Demands, EachCallTakesTheVariantItsSizesAllow) {
  const Artifact artifact = compiled(plain_rows());
  const auto call = [&](int64_t m, int64_t n, uint64_t a = 4096, uint64_t c = 4096) {
    return taken(artifact, {{a, {m, n}, {}}, {c, {m, n}, {}}});
  };
  for (const int64_t n : {0, 1000, 1004, 1008, 1024}) EXPECT_EQ(call(7, n), kFast) << n;
  for (const int64_t n : {1, 1001, 1002, 1003}) EXPECT_EQ(call(7, n), "general") << n;
  EXPECT_EQ(call(0, 1024), kFast);
  EXPECT_EQ(call(7, 1024, 4096, 4104), "general");
  // 2^31 elements and just below; products that leave 64 bits say nothing.
  EXPECT_EQ(call(int64_t{1} << 15, 65532), kFast);
  EXPECT_EQ(call(int64_t{1} << 15, 65536), "general");
  EXPECT_EQ(call(INT32_MAX, INT32_MAX - 3), "general");
}

TEST(Demands, RunTimeStridesAreDivisibleInTheFirstVariant) {
  const Artifact artifact = compiled(strided_rows());
  EXPECT_EQ(artifact.variants[0].name, "tensors aligned to 16 bytes, t == 1, s % 4 == 0, n % 4 == 0, sizes below 2^31");
  const auto call = [&](int64_t s, int64_t t) { return taken(artifact, {{4096, {5, 8}, {s, t}}, {4096, {5, 8}, {}}}); };
  EXPECT_EQ(call(12, 1), artifact.variants[0].name);
  EXPECT_EQ(call(13, 1), "general");
  EXPECT_EQ(call(16, 2), "general");
  EXPECT_EQ(call(-8, 1), "general");
  EXPECT_EQ(call(int64_t{1} << 30, 1), "general");
}

/// C = A + b by way of tiles; b is one number.
Artifact chain() {
  return compiled(
      "func @f params [%A: global float32[64, 64], %b: global float32[1], %C: global float32[64, 64]] {\n"
      "  launch [%bx: int32], [64], threads=[16] {\n"
      "    alloc %a: fragment float32[64]\n"
      "    tile.copy src=%A[%bx :+ 1, 0 :+ 64], dst=%a[0 :+ 64]\n"
      "    parallel [%i: int32], [64] { store %C, [%bx, %i], %a[%i] + %b[0] }\n"
      "  }\n}\n");
}

TEST(Demands, StatementsAreOneWhereTensorsAreApartOrTheSame) {
  const Artifact artifact = chain();
  ASSERT_EQ(artifact.variants.size(), 2u);
  EXPECT_EQ(artifact.variants[0].name, "tensors aligned to 16 bytes, tensors apart");
  EXPECT_EQ(artifact.source.find("a["), std::string::npos) << artifact.source;
  EXPECT_NE(artifact.later[0].source.find("a[4]"), std::string::npos) << artifact.later[0].source;
  constexpr uint64_t kBytes = 64 * 64 * 4, kFar = 1 << 20;
  const auto call = [&](uint64_t a, uint64_t b, uint64_t c) {
    return taken(artifact, {{a, {64, 64}, {}}, {b, {1}, {}}, {c, {64, 64}, {}}});
  };
  const std::string fast = artifact.variants[0].name;
  EXPECT_EQ(call(kFar, kFar / 2, 2 * kFar), fast);
  // Neighbours, on either side; the same matrix; two inputs in one place.
  EXPECT_EQ(call(kFar, kFar / 2, kFar + kBytes), fast);
  EXPECT_EQ(call(kFar, kFar / 2, kFar - kBytes), fast);
  EXPECT_EQ(call(kFar, kFar / 2, kFar), fast);
  EXPECT_EQ(call(kFar, kFar, 2 * kFar), fast);
  // A common part; the number among what is written.
  EXPECT_EQ(call(kFar, kFar / 2, kFar + kBytes - 16), "general");
  EXPECT_EQ(call(kFar, kFar / 2, kFar - kBytes + 16), "general");
  EXPECT_EQ(call(kFar, 2 * kFar + kBytes - 16, 2 * kFar), "general");
  EXPECT_EQ(call(kFar, 2 * kFar, 2 * kFar), "general");
  EXPECT_EQ(call(kFar, 2 * kFar + kBytes, 2 * kFar), fast);
}

TEST(Demands, WhatMakesNoDifferenceIsNotAsked) {
  // Elements of a column: no access can be wide.
  EXPECT_EQ(compiled("func @f symbols [%n: int32] params [%A: global float32[%n, 3]] {\n"
                     "  launch [%bx: int32], [%n], threads=[64] {\n"
                     "    parallel [%i: int32], [1] { store %A, [%bx, %i], 1.0:float32 }\n"
                     "  }\n}\n")
                .variants[0]
                .name,
            "sizes below 2^31");
  // Known sizes.
  EXPECT_EQ(compiled(rows("%m: int32", "[%m, 1024]", "[%m, 1024]")).variants[0].name,
            "tensors aligned to 16 bytes, sizes below 2^31");
  const Demands fixed = usual_demands(
      *parse_function("func @f params [%A: global float32[8, 6]] { launch [], [], threads=[32] { store %A, [0, 0], "
                      "1.0:float32 } }"),
      *find_target("sm_90a"));
  EXPECT_EQ(fixed.text(), "tensors aligned to 16 bytes");
}

}  // namespace
}  // namespace tl
