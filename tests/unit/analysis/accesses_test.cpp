#include "analysis/accesses.h"

#include <gtest/gtest.h>

#include "analysis/scope.h"
#include "ir/text.h"

namespace tl {
namespace {

/// "A[...] read; B[...] write!": the accesses of the last statement of the launch; `!` marks exact ones.
std::string listed(const std::string& body) {
  const auto function = parse_function(
      "func @f symbols [%n: int32] params [%A: global float32[%n, 64], %B: global float32[64]] {\n"
      "  launch [%b: int32], [floordiv(%n + 63, 64)], threads=[64] {\n    alloc %s: shared float32[64, 64]\n" +
      body + "  }\n}\n");
  Facts facts(*function);
  const Launch& launch = *function->body[0]->as<Launch>();
  enter_block(facts, launch, "body");
  for (size_t i = 0; i + 1 < launch.body.size(); ++i) add_after(facts, *launch.body[i]);
  std::string out;
  for (const Access& a : accesses(*launch.body.back(), facts)) {
    out += (out.empty() ? "" : "; ") + print(a.region) + (a.reads ? " read" : "") + (a.writes ? " write" : "") +
           (a.exact ? "!" : "");
  }
  return out;
}

TEST(Accesses, RegionsOfTileOperations) {
  EXPECT_EQ(listed("tile.copy src=%A[%b * 64 :+ 64, 0 :+ 64], dst=%s[0 :+ 64, 0 :+ 64]\n"),
            "A[b * 64 :+ 64, 0 :+ 64] read!; s[0 :+ 64, 0 :+ 64] write!");
}

TEST(Accesses, ElementsAreWidenedOverLoops) {
  EXPECT_EQ(listed("parallel [%i: int32, %j: int32], [64, 32] {\nstore %s, [%i, %j * 2], %A[%b * 64 + %i, %j]\n}\n"),
            "A[b * 64 :+ 64, 0 :+ 32] read; s[0 :+ 64, 0 :+ 63] write");
  EXPECT_EQ(listed("for %k: int32, 0, 4 {\nfor %i: int32, 0, 16 {\nstore %B, [63 - %k * 16 - %i], 1.0\n}\n}\n"),
            "B[0 :+ 64] write");
}

TEST(Accesses, TailsAreWidenedToTheWidestTile) {
  EXPECT_EQ(
      listed("for %k: int32, 0, 2 {\ntile.fill dst=%s[%k * 32 :+ min(32, %n - %k * 32), 0 :+ 64], value=0.0\n}\n"),
      "s[0 :+ 64, 0 :+ 64] write");
}

TEST(Accesses, WhatCannotBeSaidIsTheWholeExtent) {
  EXPECT_EQ(listed("for %k: int32, 0, 4 {\nstore %B, [cast(int32, %B[%k])], 1.0\n}\n"),
            "B[0 :+ 4] read; B[0 :+ 64] write");
  EXPECT_EQ(listed("for %k: int32, 0, 4 {\nbind %at: int32, %k * 8 + 1\nstore %B, [%at], 1.0\n}\n"),
            "B[1 :+ 25] write");
}

TEST(Accesses, CertainOnesOnlyAreExact) {
  EXPECT_EQ(listed("for %k: int32, 0, 4 {\nstore %B, [3], 1.0\n}\n"), "B[3 :+ 1] write!");
  EXPECT_EQ(listed("for %k: int32, 0, %n - 5 {\nstore %B, [3], 1.0\n}\n"), "B[3 :+ 1] write");
  EXPECT_EQ(listed("if %b > 0 {\nstore %B, [3], 1.0\n}\n"), "B[3 :+ 1] write");
  EXPECT_EQ(listed("store %B, [0], select(%b > 0, %B[1], 0.0)\n"), "B[1 :+ 1] read; B[0 :+ 1] write!");
}

TEST(Accesses, ConflictsOfRegionsAndViews) {
  const auto function = parse_function(R"(func @f symbols [%n: int32] params [%A: global float32[%n, 64]] {
  launch [%b: int32], [floordiv(%n, 32)], threads=[32] {
    alloc %s: shared float32[64]
    view %t: shared int32[64], %s
    alloc %u: shared float32[64]
    tile.fill dst=%s[0 :+ 32], value=0.0
    tile.fill dst=%s[32 :+ 32], value=0.0
    tile.fill dst=%t[0 :+ 1], value=0
    tile.fill dst=%u[0 :+ 64], value=0.0
    tile.fill dst=%A[%b * 32 :+ 32, 0 :+ 64], value=0.0
    tile.fill dst=%A[%b * 32 + 32 :+ 32, 0 :+ 64], value=0.0
    print region=%s[16 :+ 32]
    print region=%s[0 :+ 8]
  }
}
)");
  Facts facts(*function);
  const Launch& launch = *function->body[0]->as<Launch>();
  enter_block(facts, launch, "body");
  const Aliases aliases(*function);
  const auto conflicts = [&](size_t i, size_t j) {
    return conflict(accesses(*launch.body[i], facts)[0], accesses(*launch.body[j], facts)[0], aliases, facts);
  };
  EXPECT_FALSE(conflicts(3, 4)) << "apart";
  EXPECT_TRUE(conflicts(3, 5)) << "a view of the same memory";
  EXPECT_FALSE(conflicts(3, 6)) << "other memory";
  EXPECT_FALSE(conflicts(7, 8)) << "apart for every b";
  EXPECT_TRUE(conflicts(3, 9));
  EXPECT_FALSE(conflicts(9, 10)) << "both read";
  EXPECT_TRUE(conflicts(3, 10));
  EXPECT_FALSE(conflicts(4, 10));
}

TEST(Accesses, UnknownEffects) {
  const auto function = parse_function(R"(func @f params [] {
  for %i: int32, 0, 4 {
    evaluate extern:int32("f", %i)
  }
  evaluate pure_extern:int32("g", 1)
}
)");
  EXPECT_TRUE(has_unknown_effects(*function->body[0]));
  EXPECT_FALSE(has_unknown_effects(*function->body[1]));
}

}  // namespace
}  // namespace tl
