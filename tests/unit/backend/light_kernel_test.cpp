#include "backend/cuda/light_kernel.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace tl {
namespace {

/// Whether a launch with these statements of one thread is light.
bool light(const std::string& statements) {
  const auto function = parse_function(
      "func @f params [%A: global float32[4096], %B: global float32[4096]] {\n"
      "  launch [%bx: int32], [4], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[32] {\n" +
      statements + "\n  }\n}\n");
  return is_light(*function->body.at(0)->as<Launch>());
}

std::string stored(const std::string& value) { return "store %B, [%bx * 32 + %tx], " + value; }

const std::string kElement = "%A[%bx * 32 + %tx]";

TEST(LightKernel, ComputesLittle) {
  EXPECT_TRUE(light(stored(kElement + " * 2.0 + 1.0")));
  // Indices do not count.
  EXPECT_TRUE(light("store %B, [%bx * 32 + %tx], %A[%bx * 32 + %tx + 1 + 2 * %bx + 3 * %bx + 4 * %bx + 5 * %bx]"));
  EXPECT_TRUE(
      light("alloc %x: local float32[4]\nfor %v: int32, 0, 4, loop=vectorized { store %x, [%v], %A[%tx * 4 + "
            "%v] }\nif %bx < 3 { for %r: int32, 0, 4, loop=unrolled { store %B, [%tx * 4 + %r], %x[%r] } }"));
  EXPECT_FALSE(light(stored(kElement + " / 3.0")));
  EXPECT_FALSE(light(stored("exp(" + kElement + ")")));
  std::string sum = kElement;
  for (int i = 0; i < 9; ++i) sum += " + 1.0";
  EXPECT_FALSE(light(stored(sum)));
}

TEST(LightKernel, NeitherLoopsNorMeets) {
  EXPECT_FALSE(light("for %k: int32, 0, 9 { " + stored(kElement) + " }"));
  EXPECT_FALSE(light("alloc %s: shared float32[32]\n" + stored(kElement)));
  EXPECT_FALSE(light("alloc %x: local float32[1]\nthread.reduce sum, values=%x[0 :+ 1], extent=8, stride=1"));
  EXPECT_FALSE(light("barrier"));
}

}  // namespace
}  // namespace tl
