#include "analysis/apart.h"

#include <gtest/gtest.h>

#include "analysis/scope.h"
#include "ir/text.h"

namespace tl {
namespace {

/// Whether the first and the second copy of the loop over %x write apart, of iterations %x < %y.
bool apart_in(const std::string& first, const std::string& second) {
  const auto function = parse_function(
      "func @f symbols [%g: int32"
      "] params [%A: global float32[64, 4096, 4096]] {\n"
      "  for %x: int32, 0, 100 {\n    for %y: int32, %x + 1, 100 {\n"
      "      tile.fill dst=%A[" +
      first + "], value=0.0\n      tile.fill dst=%A[" + second + "], value=0.0\n    }\n  }\n}\n");
  Facts facts(*function);
  const auto* outer = function->body[0]->as<For>();
  enter_block(facts, *outer, "body");
  const auto* inner = outer->body[0]->as<For>();
  enter_block(facts, *inner, "body");
  return apart(inner->body[0]->as<Fill>()->dst, inner->body[1]->as<Fill>()->dst, facts);
}

TEST(Apart, BoxesAlongOneDimension) {
  EXPECT_TRUE(apart_in("0 :+ 1, %x * 8 :+ 8, 0 :+ 8", "0 :+ 1, %y * 8 :+ 8, 0 :+ 8"));
  EXPECT_FALSE(apart_in("0 :+ 1, %x * 8 :+ 9, 0 :+ 8", "0 :+ 1, %y * 8 :+ 8, 0 :+ 8"));
}

TEST(Apart, BoxesAtTheDigitsOfTwoNumbers) {
  EXPECT_TRUE(apart_in("0 :+ 1, floordiv(%x, 4) * 64 :+ 64, floormod(%x, 4) * 32 :+ 32",
                       "0 :+ 1, floordiv(%y, 4) * 64 :+ 64, floormod(%y, 4) * 32 :+ 32"));
  EXPECT_TRUE(apart_in("0 :+ 1, floormod(%x, 4) * 32 :+ 7, floordiv(%x, 4) * 64 + 5 :+ 64",
                       "0 :+ 1, floormod(%y, 4) * 32 :+ 32, floordiv(%y, 4) * 64 + 5 :+ 64"));
  // A digit of a digit.
  EXPECT_TRUE(apart_in("floordiv(%x, 20) :+ 1, floordiv(floormod(%x, 20), 4) * 64 :+ 64, floormod(%x, 4) * 8 :+ 8",
                       "floordiv(%y, 20) :+ 1, floordiv(floormod(%y, 20), 4) * 64 :+ 64, floormod(%y, 4) * 8 :+ 8"));
  EXPECT_FALSE(apart_in("floordiv(%x, 20) :+ 1, floordiv(floormod(%x, 20), 3) * 64 :+ 64, floormod(%x, 3) * 8 :+ 8",
                        "floordiv(%y, 20) :+ 1, floordiv(floormod(%y, 20), 3) * 64 :+ 64, floormod(%y, 3) * 8 :+ 8"));
}

TEST(Apart, DigitsThatDoNotSayTheNumber) {
  // Of another divisor; with a box longer than the place between two; of one number alone; of different places.
  EXPECT_FALSE(apart_in("0 :+ 1, floordiv(%x, 4) * 64 :+ 64, floormod(%x, 3) * 32 :+ 32",
                        "0 :+ 1, floordiv(%y, 4) * 64 :+ 64, floormod(%y, 3) * 32 :+ 32"));
  EXPECT_FALSE(apart_in("0 :+ 1, floordiv(%x, 4) * 64 :+ 65, floormod(%x, 4) * 32 :+ 32",
                        "0 :+ 1, floordiv(%y, 4) * 64 :+ 64, floormod(%y, 4) * 32 :+ 32"));
  EXPECT_FALSE(apart_in("0 :+ 1, floordiv(%x, 4) * 64 :+ 64, 0 :+ 32", "0 :+ 1, floordiv(%y, 4) * 64 :+ 64, 0 :+ 32"));
  EXPECT_FALSE(apart_in("0 :+ 1, floordiv(%x, 4) * 64 :+ 64, floormod(%x, 4) * 32 :+ 32",
                        "0 :+ 1, floordiv(%y, 4) * 64 :+ 64, floormod(%y, 4) * 32 + 32 :+ 32"));
  // A divisor that may be 0.
  EXPECT_FALSE(apart_in("0 :+ 1, floordiv(%x, %g) * 64 :+ 64, floormod(%x, %g) * 32 :+ 32",
                        "0 :+ 1, floordiv(%y, %g) * 64 :+ 64, floormod(%y, %g) * 32 :+ 32"));
}

}  // namespace
}  // namespace tl
