// Fragments made from fragments, by hand: repeats, crops, reductions, projections.

#include <gtest/gtest.h>

#include <array>

#include "layout/fragment.h"
#include "unit/layout/accumulator.h"

namespace tl {
namespace {

using Coord = std::vector<int64_t>;
using Extents = std::vector<int64_t>;

TEST(FragmentDeriveTest, RepeatsAnAtomOverRegistersAndThreads) {
  Fragment atom = accumulator_16x8();
  Fragment wide = atom.repeat(std::array<int64_t, 2>{1, 3}, RepeatOver::kRegisters).value();
  Fragment warps = wide.repeat(std::array<int64_t, 2>{4, 1}, RepeatOver::kThreads).value();
  EXPECT_EQ(warps.extents(), (Extents{64, 24}));
  EXPECT_EQ(warps.threads(), 128);
  EXPECT_EQ(warps.registers(), 12);
  EXPECT_EQ(warps.slot(Coord{16 + 3, 8 + 5}), (FragmentSlot{32 + 14, 5}));
  EXPECT_TRUE(warps.is_bijective());
  EXPECT_TRUE(warps.is_affine());
  Fragment rows_first = atom.repeat(std::array<int64_t, 2>{2, 2}, RepeatOver::kRegisters, true).value();
  Fragment columns_first = atom.repeat(std::array<int64_t, 2>{2, 2}, RepeatOver::kRegisters, false).value();
  EXPECT_EQ(rows_first.reg(Coord{16, 0}), 4);
  EXPECT_EQ(columns_first.reg(Coord{0, 8}), 4);
  Fragment cut = warps.crop({50, 23}).value();
  EXPECT_TRUE(cut.is_bijective());
  EXPECT_EQ(cut.slot(Coord{49, 22}), warps.slot(Coord{49, 22}));
}

TEST(FragmentDeriveTest, RepeatsAnAtomWithPadding) {
  Fragment atom = Fragment::distribute({3}, 2, 2).value();
  Fragment twice = atom.repeat(std::array<int64_t, 1>{2}, RepeatOver::kThreads).value();
  EXPECT_FALSE(twice.is_affine());
  EXPECT_TRUE(twice.is_bijective());
  EXPECT_EQ(twice.slot(Coord{3}), (FragmentSlot{2, 0}));
  EXPECT_EQ(twice.to_string(), "fragment<tile=(6), slots=(4,2), table=(0,1,2,-1,3,4,5,-1)>");
  EXPECT_EQ(Fragment::parse(twice.to_string()).value(), twice);
}

TEST(FragmentDeriveTest, ReductionsReplicateOverTheReducedThreads) {
  Fragment row = accumulator_16x8().reduce(1).value();
  EXPECT_EQ(row.extents(), (Extents{16}));
  EXPECT_EQ(row.replication(), 4);
  EXPECT_EQ(row.registers(), 2);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(row.owner(Coord{i}), i % 8 * 4);
    EXPECT_EQ(row.thread(Coord{i}, 3), i % 8 * 4 + 3);
    EXPECT_EQ(row.reg(Coord{i}), i / 8);
  }
  Fragment kept = accumulator_16x8().reduce(0, /*keep_dim=*/true).value();
  EXPECT_EQ(kept.extents(), (Extents{1, 8}));
  EXPECT_EQ(kept.replication(), 8);
  EXPECT_EQ(kept.slot(Coord{0, 5}), (FragmentSlot{2, 1}));
  EXPECT_TRUE(kept.is_bijective());
}

TEST(FragmentDeriveTest, ReductionsOfRowsStayAffineAtAnyWidth) {
  for (int64_t width : {24, 100, 127, 229}) {
    Fragment f = Fragment::distribute_rows({10, width}, 128, 32, 4).value();
    Fragment row = f.reduce(1).value();
    EXPECT_EQ(row.replication(), 32);
    EXPECT_EQ(row.registers(), 3);
    EXPECT_TRUE(row.contains(f, std::array<size_t, 1>{0}));
  }
}

TEST(FragmentDeriveTest, ReductionsWithoutAnAffineFormAreHeldByAll) {
  Fragment f = Fragment::distribute({5, 7}, 4).value();
  Fragment row = f.reduce(1).value();
  EXPECT_EQ(row, Fragment::replicated({5}, 4).value());
  Fragment all = row.reduce(0).value();
  EXPECT_EQ(all.extents(), Extents{});
  EXPECT_EQ(all.size(), 1);
  EXPECT_EQ(all.owner(Coord{}), 0);
}

TEST(FragmentDeriveTest, ProjectionsTranspose) {
  std::array<size_t, 2> swap{1, 0};
  for (const Fragment& f :
       {accumulator_16x8(), Fragment::distribute({5, 7}, 4).value(), Fragment::distribute({16, 8}, 24).value()}) {
    Fragment t = f.project(swap).value();
    EXPECT_TRUE(t.is_bijective());
    for (int64_t i = 0; i < f.extents()[0]; ++i) {
      for (int64_t j = 0; j < f.extents()[1]; ++j) EXPECT_EQ(t.slot(Coord{j, i}), f.slot(Coord{i, j}));
    }
    EXPECT_EQ(t.project(swap).value(), f);
  }
}

}  // namespace
}  // namespace tl
