#include "backend/cuda/unrolled_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text.h"

namespace tl {
namespace {

/// Whether the first loop among these statements of one thread is unrolled.
bool unrolled(const std::string& statements) {
  const auto function = parse_function(
      "func @f params [%A: global float32[4096], %L: global int64[4096], %B: global float32[4096]] {\n"
      "  launch [%bx: int32], [4], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[1] {\n" +
      statements + "\n  }\n}\n");
  for (const OpPtr& op : function->body.at(0)->as<Launch>()->body) {
    if (const auto* loop = op->as<For>()) return is_unrolled(*loop);
  }
  ADD_FAILURE() << "no loop";
  return false;
}

std::string loop(int trips, const std::string& body, const std::string& kind = "loop=unrolled", bool points = true) {
  return "for %r: int32, 0, " + std::to_string(trips) + ", " + kind +
         (points ? ", hints={\"independent\": true}" : "") + " { " + body + " }";
}

const std::string kCopy = "store %B, [%r], %A[%r]";
const std::string kRemainder = "store %B, [%r], cast(float32, floormod(%L[%r], %L[0] + 1:int64))";

TEST(UnrolledLoops, PointsOfMemoryAsLongAsTheCodeIsShort) {
  EXPECT_TRUE(unrolled(loop(64, kCopy)));
  EXPECT_FALSE(unrolled(loop(4000, kCopy)));
  EXPECT_TRUE(unrolled(loop(16, kRemainder)));
  EXPECT_FALSE(unrolled(loop(64, kRemainder)));
  // What is inside counts as often as it is written out.
  EXPECT_TRUE(unrolled(loop(32, "for %q: int32, 0, 8, loop=unrolled { store %B, [%q], %A[%r] }")));
  EXPECT_FALSE(unrolled(loop(32, "for %q: int32, 0, 64, loop=unrolled { store %B, [%q], %A[%r] }")));
  EXPECT_TRUE(unrolled(loop(32, "for %q: int32, 0, 64 { store %B, [%q], %A[%r] }")));
}

TEST(UnrolledLoops, RegistersAsLongAsAThreadHasThem) {
  EXPECT_TRUE(unrolled("alloc %x: local float32[64]\n" + loop(64, "store %x, [%r], %A[%r]")));
  EXPECT_TRUE(unrolled("alloc %x: local float32[64]\n" + loop(64, "store %x, [%r], %A[%r]", "loop=serial", false)));
  EXPECT_FALSE(unrolled("alloc %x: local float32[65]\n" + loop(65, "store %x, [%r], %A[%r]", "loop=serial", false)));
  EXPECT_TRUE(unrolled("alloc %x: local int64[64]\n" + loop(64, "store %x, [%r], floormod(%L[%r], %L[0] + 1:int64)")));
  EXPECT_FALSE(unrolled("alloc %x: local float32[2048]\n" + loop(2048, "store %x, [%r], %A[%r]")));
  EXPECT_FALSE(unrolled("alloc %x: local float32[255]\n" +
                        loop(255, "store %x, [%r], cast(float32, floormod(%L[%r], %L[0] + 1:int64))")));
}

TEST(UnrolledLoops, OthersAreAsTheProgramSays) {
  EXPECT_TRUE(unrolled(loop(4000, kCopy, "loop=unrolled", false)));
  EXPECT_FALSE(unrolled(loop(4, kCopy, "loop=serial", false)));
}

}  // namespace
}  // namespace tl
