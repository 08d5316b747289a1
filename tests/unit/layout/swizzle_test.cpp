#include "layout/swizzle.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

TEST(SwizzleTest, IsAnInvolutionThatPermutesEachPeriod) {
  for (int bits = 0; bits <= 3; ++bits) {
    for (int base = 0; base <= 4; ++base) {
      for (int shift = -4; shift <= 4; ++shift) {
        auto swizzle = Swizzle::make(bits, base, shift);
        ASSERT_EQ(swizzle.has_value(), std::abs(shift) >= bits);
        if (!swizzle) continue;
        std::set<int64_t> seen;
        int64_t period = swizzle->period();
        for (int64_t i = 0; i < period; ++i) {
          EXPECT_EQ((*swizzle)((*swizzle)(i)), i);
          EXPECT_EQ((*swizzle)(i + 3 * period), (*swizzle)(i) + 3 * period);
          EXPECT_LT((*swizzle)(i), period);
          seen.insert((*swizzle)(i));
        }
        EXPECT_EQ(static_cast<int64_t>(seen.size()), period);
        EXPECT_EQ(Swizzle::parse(swizzle->to_string()).value(), *swizzle);
      }
    }
  }
}

TEST(SwizzleTest, StandardModesXorTheChunkWithTheRow) {
  struct Mode {
    Swizzle swizzle;
    int64_t row_bytes, rows_per_step;
  };
  // A row of 32, 64 or 128 bytes; its 16-byte chunk is XORed with the number of the 128-byte line, modulo the chunks.
  for (auto [swizzle, row_bytes, rows_per_step] :
       {Mode{Swizzle::bytes_32(), 32, 4}, Mode{Swizzle::bytes_64(), 64, 2}, Mode{Swizzle::bytes_128(), 128, 1}}) {
    int64_t chunks = row_bytes / 16;
    for (int64_t offset = 0; offset < 4096; ++offset) {
      int64_t row = offset / row_bytes, chunk = offset / 16 % chunks;
      int64_t expected = row * row_bytes + (chunk ^ (row / rows_per_step % chunks)) * 16 + offset % 16;
      ASSERT_EQ(swizzle(offset), expected) << row_bytes << " " << offset;
    }
  }
  EXPECT_EQ(Swizzle::bytes_128().period(), 1024);
}

TEST(SwizzleTest, RecastMovesTheSameBytes) {
  for (int bits : {4, 8, 16, 32, 64, 128}) {
    auto recast = Swizzle::bytes_128().recast(8, bits);
    ASSERT_TRUE(recast);
    for (int64_t element = 0; element < 2048; ++element) {
      int64_t bit = element * bits;
      EXPECT_EQ((*recast)(element)*bits / 8, Swizzle::bytes_128()(bit / 8));
    }
    EXPECT_EQ(recast->recast(bits, 8).value(), Swizzle::bytes_128());
  }
  EXPECT_EQ(Swizzle::bytes_128().recast(8, 256).error(),
            "S<3,4,3> on units of 8 bits cannot be told in units of 256 bits: it tears runs of 16 old units apart");
  EXPECT_FALSE(Swizzle::bytes_128().recast(8, 6));
  EXPECT_FALSE(Swizzle::bytes_128().recast(8, 0));
}

TEST(SwizzleTest, Refusals) {
  for (auto [bits, base, shift] : {std::array{-1, 0, 0}, {3, 0, 2}, {3, -1, 3}, {20, 30, 20}, {3, 0, INT32_MIN}}) {
    EXPECT_FALSE(Swizzle::make(bits, base, shift));
  }
  for (std::string_view text : {"S<1,2>", "S<1,2,3", "<1,2,3>", "S<1,2,3> ,", "S<3,4,2>"})
    EXPECT_FALSE(Swizzle::parse(text)) << text;
  EXPECT_THROW(Swizzle::bytes_32()(-1), std::out_of_range);
  EXPECT_EQ(Swizzle()(-1), -1);
}

TEST(ComposedLayoutTest, EvaluatesPrintsAndParses) {
  auto tile = ComposedLayout::parse("S<3,3,3> o 512 o (8,64):(64,1)");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->to_string(), "S<3,3,3> o 512 o (8,64):(64,1)");
  EXPECT_EQ((*tile)({3, 10}), 512 + 3 * 64 + ((1 ^ 3) * 8 + 2));
  EXPECT_EQ(tile->cosize(), 1024);
  EXPECT_EQ(ComposedLayout::parse("(8,64):(64,1)").value(), ComposedLayout(layout_of("(8,64):(64,1)")));
  EXPECT_EQ(ComposedLayout(layout_of("8:1")).to_string(), "8:1");
  for (std::string_view text :
       {"S<3,3,3> o (8,64):(64,1)", "S<3,3,3> o 0", "S<3,3,3> o -1 o 8:1", "S<3,3,3> o 0 o 8:-1", "8"}) {
    EXPECT_FALSE(ComposedLayout::parse(text)) << text;
  }
}

TEST(ComposedLayoutTest, SwizzlesKeepLayoutsInjectiveWithinTheirBound) {
  RandomLayouts random(21);
  for (int n = 0; n < 300; ++n) {
    Layout l = random.with_gaps(2);
    int bits = static_cast<int>(random.pick(0, 3));
    int shift = static_cast<int>(random.pick(bits, 4)) * (n % 2 == 0 ? 1 : -1);
    Swizzle swizzle = Swizzle::make(bits, static_cast<int>(random.pick(0, 3)), shift).value();
    ComposedLayout composed = ComposedLayout::make(swizzle, random.pick(0, 40), l).value();
    std::set<int64_t> seen;
    for (int64_t i = 0; i < composed.size(); ++i) {
      EXPECT_TRUE(seen.insert(composed(i)).second);
      EXPECT_LT(composed(i), composed.cosize()) << composed.to_string();
    }
  }
}

TEST(ComposedLayoutTest, VectorExtentIsContiguousAndAligned) {
  EXPECT_EQ(ComposedLayout::parse("S<3,3,3> o 0 o (8,64):(64,1)")->vector_extent(1), 8);
  EXPECT_EQ(ComposedLayout(layout_of("(8,100):(100,1)")).vector_extent(1), 100);
  EXPECT_EQ(ComposedLayout(layout_of("(8,100):(104,1)")).vector_extent(1), 4);
  EXPECT_EQ(ComposedLayout(layout_of("(8,100):(104,1)")).vector_extent(0), 1);
  EXPECT_EQ(ComposedLayout(layout_of("(8,127):(127,1)")).vector_extent(1), 127);
  RandomLayouts random(22);
  int wide = 0;
  for (int n = 0; n < 1000; ++n) {
    Layout l = concat({random.with_gaps(2), random.any()});
    if (l.size() > 3000) continue;
    Swizzle swizzle = Swizzle::make(2, static_cast<int>(random.pick(0, 2)), 3).value();
    ComposedLayout c = ComposedLayout::make(swizzle, random.pick(0, 3) * random.pick_from<int64_t>({1, 4}), l).value();
    int64_t v = c.vector_extent(0);
    wide += v > 1;
    ASSERT_EQ(l.mode(0).size() % v, 0);
    for (int64_t j = 0; j < l.mode(1).size(); ++j) {
      for (int64_t i = 0; i < l.mode(0).size(); ++i) {
        bool good = i % v == 0 ? c({i, j}) % v == 0 : c({i, j}) == c({i - 1, j}) + 1;
        ASSERT_TRUE(good) << c.to_string() << " at " << i << "," << j;
      }
    }
  }
  EXPECT_GT(wide, 20);
}

TEST(ComposedLayoutTest, ComposesOnTheRight) {
  ComposedLayout tile = ComposedLayout::parse("S<3,3,3> o 0 o (8,64):(64,1)").value();
  Layout column_block = layout_of("(8,16):(1,8)");
  auto block = composition(tile, column_block);
  ASSERT_TRUE(block);
  for (int64_t i = 0; i < block->size(); ++i) EXPECT_EQ((*block)(i), tile(column_block(i)));
  EXPECT_FALSE(composition(tile, layout_of("513:1")));
}

}  // namespace
}  // namespace tl
