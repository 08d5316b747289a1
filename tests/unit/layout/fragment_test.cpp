// Fragments by hand: what each builder means, queries, text, refusals.

#include "layout/fragment.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/layout/accumulator.h"
#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

using Coord = std::vector<int64_t>;
using Extents = std::vector<int64_t>;

TEST(FragmentTest, DistributesVectorsRowMajor) {
  Fragment f = Fragment::distribute({4, 24}, 8, 4).value();
  EXPECT_EQ(f.threads(), 8);
  EXPECT_EQ(f.registers(), 12);
  EXPECT_EQ(f.replication(), 1);
  EXPECT_EQ(f.size(), 96);
  // Element (1, 9) is number 33: pass 1, thread 0, second of its vector.
  EXPECT_EQ(f.slot(Coord{1, 9}), (FragmentSlot{0, 5}));
  EXPECT_EQ(f.coordinate(0, 5).value(), (Coord{1, 9}));
  EXPECT_TRUE(f.holds(0, Coord{1, 9}));
  EXPECT_FALSE(f.holds(1, Coord{1, 9}));
}

TEST(FragmentTest, PartialPassesArePadding) {
  Fragment f = Fragment::distribute({100}, 32, 2).value();
  EXPECT_EQ(f.registers(), 4);
  EXPECT_EQ(f.slot(Coord{99}), (FragmentSlot{17, 3}));
  EXPECT_EQ(f.element(17, 3), 99);
  EXPECT_EQ(f.element(18, 2), std::nullopt);
  EXPECT_EQ(f.coordinate(31, 3), std::nullopt);
  EXPECT_EQ(Fragment::distribute({3}, 1024).value().element(3, 0), std::nullopt);
}

TEST(FragmentTest, RowsStartAtTheirOwnThread) {
  Fragment f = Fragment::distribute_rows({6, 100}, 64, 32, 2).value();
  EXPECT_EQ(f.registers(), 2 * 2 * 3);
  EXPECT_EQ(f.slot(Coord{0, 99}), (FragmentSlot{17, 3}));
  EXPECT_EQ(f.slot(Coord{1, 0}), (FragmentSlot{32, 0}));
  EXPECT_EQ(f.slot(Coord{5, 65}), (FragmentSlot{32, 11}));
  EXPECT_TRUE(f.is_bijective());
  EXPECT_EQ(f.to_string(), "fragment<tile=(6,100), box=(6,128), threads=(32,2):(2,128), registers=(2,2,3):(1,64,256)>");
}

TEST(FragmentTest, ReplicatedTilesHaveOneOwner) {
  Fragment f = Fragment::replicated({3, 5}, 48).value();
  EXPECT_EQ(f.replication(), 48);
  EXPECT_EQ(f.registers(), 15);
  EXPECT_EQ(f.owner(Coord{2, 1}), 0);
  EXPECT_EQ(f.thread(Coord{2, 1}, 47), 47);
  EXPECT_EQ(f.reg(Coord{2, 1}), 11);
  EXPECT_TRUE(f.is_bijective());
}

TEST(FragmentTest, ThreadValueLayouts) {
  Fragment f = accumulator_16x8();
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t reg = 0; reg < 4; ++reg) {
      Coord expected{lane / 4 + 8 * (reg / 2), lane % 4 * 2 + reg % 2};
      EXPECT_EQ(f.coordinate(lane, reg).value(), expected);
      EXPECT_EQ(f.slot(expected), (FragmentSlot{lane, reg}));
    }
  }
  Fragment column =
      Fragment::from_thread_value({16, 8}, layout_of("((4,8),(2,2)):((32,1),(16,8))"), TileOrder::kColumnMajor).value();
  EXPECT_EQ(column, f);
}

TEST(FragmentTest, ColumnMajorThreadValueLayoutsThatCrossColumns) {
  // Seven columns of five: three threads take consecutive column-major elements.
  Fragment f = Fragment::from_thread_value({5, 7}, layout_of("(3,12):(1,3)"), TileOrder::kColumnMajor).value();
  EXPECT_TRUE(f.is_bijective());
  for (int64_t i = 0; i < 35; ++i) EXPECT_EQ(f.slot(Coord{i % 5, i / 5}), (FragmentSlot{i % 3, i / 3}));
  EXPECT_EQ(f.element(2, 11), std::nullopt);
}

TEST(FragmentTest, ColumnMajorPaddingLengthensTheLastDimensionOfTheBox) {
  Fragment f = Fragment::from_thread_value({4, 6}, layout_of("(4,8):(1,4)"), TileOrder::kColumnMajor).value();
  EXPECT_EQ(f.to_string(), "fragment<tile=(4,6), box=(4,8), threads=4:8, registers=8:1>");
  EXPECT_TRUE(f.is_bijective());
}

TEST(FragmentTest, EqualityIsOfMeaning) {
  Fragment f = Fragment::distribute({4, 8}, 32).value();
  Fragment same = Fragment::from_thread_value({4, 8}, layout_of("((8,4),1):((1,8),0)")).value();
  EXPECT_EQ(f, same);
  // Thread 5 of 5 and a second register that only ever hold padding; the boxes differ, the slots do not.
  Fragment flat = Fragment::affine({2, 3}, {2, 3}, layout_of("3:1"), layout_of("2:3")).value();
  Fragment boxed = Fragment::affine({2, 3}, {2, 5}, layout_of("3:1"), layout_of("2:5")).value();
  EXPECT_EQ(flat, boxed);
  EXPECT_EQ(flat.hash(), boxed.hash());
  EXPECT_NE(flat.to_string(), boxed.to_string());
  EXPECT_NE(f, Fragment::distribute({4, 8}, 16).value());
  EXPECT_NE(f, Fragment::distribute({8, 4}, 32).value());
  EXPECT_NE(Fragment::distribute({8}, 4, 1).value(), Fragment::distribute({8}, 4, 2).value());
  EXPECT_NE(Fragment::replicated({8}, 4).value(),
            Fragment::distribute({8}, 1).value().replicate(2)->replicate(1).value());
  EXPECT_EQ(Fragment::replicated({8}, 4).value(), Fragment::distribute({8}, 1).value().replicate(4).value());
}

TEST(FragmentTest, ContainsMeansReadableInTheOwnThread) {
  Fragment lanes = Fragment::distribute({4, 8}, 32).value();
  Fragment all = Fragment::replicated({4, 8}, 32).value();
  EXPECT_TRUE(all.contains(lanes));
  EXPECT_FALSE(lanes.contains(all));
  EXPECT_TRUE(lanes.contains(lanes));
  EXPECT_FALSE(lanes.contains(Fragment::distribute({8, 4}, 32).value()));
  Fragment row = lanes.reduce(1).value();
  EXPECT_TRUE(row.contains(lanes, std::array<size_t, 1>{0}));
  EXPECT_FALSE(Fragment::distribute({4}, 32).value().contains(lanes, std::array<size_t, 1>{0}));
  EXPECT_FALSE(row.contains(lanes, std::array<size_t, 1>{1}));
  EXPECT_FALSE(row.contains(lanes, std::array<size_t, 1>{2}));
}

TEST(FragmentTest, SlotFunctionsBecomeAffineWhereTheyAre) {
  Fragment f = Fragment::from_slots({16, 8}, 32, 4, [](int64_t lane, int64_t reg) {
                 return std::optional((lane / 4 + reg / 2 * 8) * 8 + lane % 4 * 2 + reg % 2);
               }).value();
  EXPECT_TRUE(f.is_affine());
  EXPECT_EQ(f.to_string(), accumulator_16x8().to_string());
  Fragment crossed = Fragment::from_slots({8, 4}, 8, 4, [](int64_t thread, int64_t reg) {
                       return std::optional(thread * 4 + (reg ^ (thread & 3)));
                     }).value();
  EXPECT_FALSE(crossed.is_affine());
  EXPECT_TRUE(crossed.is_bijective());
  EXPECT_EQ(crossed.slot(Coord{6, 1}), (FragmentSlot{6, 3}));
  EXPECT_EQ(Fragment::parse(crossed.to_string()).value(), crossed);
  EXPECT_EQ(crossed.replicate(2).value().thread(Coord{6, 1}, 1), 14);
  EXPECT_TRUE(crossed.crop({7, 3}).value().is_bijective());
}

TEST(FragmentTest, AffineFormsWithoutAFormulaStillInvert) {
  auto refused = Fragment::affine({8}, {8}, layout_of("3:2"), layout_of("2:3"));
  EXPECT_EQ(refused.error(), "no such fragment of the tile (8): no thread holds the element (1)");
  // Index 3 can be written in two ways, but is padding.
  Fragment f = Fragment::affine({3}, {3}, layout_of("2:1"), layout_of("(2,2):(2,3)")).value();
  EXPECT_EQ(f.digits().size(), 0u);
  EXPECT_TRUE(f.is_affine());
  EXPECT_TRUE(f.is_bijective());
  EXPECT_EQ(f.slot(Coord{2}), (FragmentSlot{0, 1}));
  // Overlapping threads: the middle element has two holders, its neighbours one.
  Fragment window = Fragment::affine({3}, {3}, layout_of("(2,2):(1,1)"), layout_of("1:0")).value();
  EXPECT_TRUE(window.is_bijective());
  EXPECT_EQ(window.replication(), 2);
  EXPECT_EQ(window.replicas(Coord{0}), 1);
  EXPECT_EQ(window.thread(Coord{1}, 1), 2);
  EXPECT_TRUE(window.repeat(std::array<int64_t, 1>{2}, RepeatOver::kRegisters).value().is_bijective());
}

TEST(FragmentTest, DigitsAreTheFormulaOfTheSlot) {
  Fragment f = Fragment::distribute_rows({6, 100}, 64, 32, 2).value();
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 100; ++j) {
      int64_t rest = i * f.box()[1] + j, thread = 0, reg = 0;
      for (const FragmentDigit& step : f.digits()) {
        EXPECT_LT(rest / step.divisor, step.extent);
        thread += rest / step.divisor * step.thread_weight;
        reg += rest / step.divisor * step.register_weight;
        rest %= step.divisor;
      }
      EXPECT_EQ(f.slot(Coord{i, j}), (FragmentSlot{thread, reg}));
    }
  }
}

TEST(FragmentTest, VectorExtents) {
  EXPECT_EQ(Fragment::distribute({4, 24}, 8, 4).value().vector_extent(), 4);
  EXPECT_EQ(Fragment::distribute({4, 100}, 8, 8).value().vector_extent(), 4);
  EXPECT_EQ(Fragment::distribute({4, 127}, 8, 4).value().vector_extent(), 1);
  EXPECT_EQ(Fragment::distribute({127}, 8, 4).value().vector_extent(), 4);
  EXPECT_EQ(Fragment::distribute_rows({4, 127}, 8, 8, 4).value().vector_extent(), 4);
  EXPECT_EQ(Fragment::distribute({4, 24}, 8, 1).value().vector_extent(), 1);
  EXPECT_EQ(Fragment::replicated({4, 24}, 8).value().vector_extent(), 24);
  EXPECT_EQ(accumulator_16x8().vector_extent(), 2);
  EXPECT_EQ(accumulator_16x8().project(std::array<size_t, 2>{1, 0}).value().vector_extent(), 1);
}

TEST(FragmentTest, RefusesWhatIsNoFragment) {
  auto tv = [](const Extents& extents, std::string_view text) {
    return Fragment::from_thread_value(extents, layout_of(text));
  };
  EXPECT_EQ(tv({8}, "(4,1):(1,0)").error(), "no such fragment of the tile (8): no thread holds the element (4)");
  EXPECT_EQ(tv({4}, "(4,2):(1,0)").error(),
            "no such fragment of the tile (4): a thread holds an element in several registers");
  EXPECT_EQ(tv({8}, "(4,4):(1,-1)").error(), "no such fragment of the tile (8): a stride is negative");
  EXPECT_EQ(tv({5}, "(4,2):(1,1)").error(),
            "no such fragment of the tile (5): the element (1) is in different registers of its threads");
  EXPECT_EQ(tv({8}, "8:1").error(), "no such fragment of the tile (8): 8:1 has not the two modes thread and register");
  EXPECT_FALSE(tv({4, 4}, "(4,2):(1,4)"));
  EXPECT_FALSE(Fragment::distribute({8, 0}, 4));
  EXPECT_FALSE(Fragment::distribute({8}, 0));
  EXPECT_FALSE(Fragment::distribute({8}, 4, 0));
  EXPECT_FALSE(Fragment::distribute({int64_t{1} << 40, int64_t{1} << 40}, 4));
  EXPECT_FALSE(Fragment::distribute_rows({8, 8}, 6, 4));
  EXPECT_FALSE(Fragment::distribute_rows({}, 4, 4));
  EXPECT_FALSE(Fragment::affine({8, 8}, {8, 7}, layout_of("8:1"), layout_of("8:8")));
  EXPECT_FALSE(Fragment::affine({8, 8}, {8}, layout_of("8:1"), layout_of("8:8")));
  auto twice = Fragment::from_slots({2}, 1, 2, [](int64_t, int64_t) { return std::optional<int64_t>(0); });
  EXPECT_EQ(twice.error(), "no such fragment of the tile (2): the element (0) is twice in thread 0");
  EXPECT_FALSE(Fragment::from_slots({2}, 1, 2, [](int64_t, int64_t) { return std::optional<int64_t>(2); }));
  Fragment f = accumulator_16x8();
  EXPECT_FALSE(f.reduce(2));
  EXPECT_FALSE(f.project(std::array<size_t, 2>{0, 0}));
  EXPECT_FALSE(f.repeat(std::array<int64_t, 1>{2}, RepeatOver::kThreads));
  EXPECT_FALSE(f.repeat(std::array<int64_t, 2>{2, 0}, RepeatOver::kThreads));
  EXPECT_FALSE(f.replicate(0));
  EXPECT_FALSE(f.crop({17, 8}));
}

TEST(FragmentTest, QueriesOutsideThrow) {
  Fragment f = accumulator_16x8();
  EXPECT_THROW(f.slot(Coord{16, 0}), std::out_of_range);
  EXPECT_THROW(f.slot(Coord{0}), std::out_of_range);
  EXPECT_THROW(f.thread(Coord{0, 0}, 1), std::out_of_range);
  EXPECT_THROW(f.holds(32, Coord{0, 0}), std::out_of_range);
  EXPECT_THROW(f.element(32, 0), std::out_of_range);
  EXPECT_THROW(f.element(0, 4), std::out_of_range);
  EXPECT_THROW(f.coordinate_of(128), std::out_of_range);
}

TEST(FragmentTest, TextRefusals) {
  for (std::string_view text : {
           "",
           "fragment<tile=(4)>",
           "fragment<tile=4, threads=4:1, registers=1:0>",
           "fragment<tile=(4), threads=4:1, registers=1:0",
           "fragment<tile=(4), threads=2:1, registers=1:0>",
           "fragment<tile=(4), slots=(2,2), table=(0,1,2)>",
           "fragment<tile=(4), slots=(2,2), table=(0,1,2,-2)>",
           "fragment<tile=(4), slots=(-2,-2), table=(0,1,2,3)>",
           "fragment<tile=(4), box=(4,4), threads=4:1, registers=1:0>",
           "fragment<tile=(4), threads=4:1, registers=1:0> ,",
       }) {
    EXPECT_FALSE(Fragment::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tl
