// Laws of fragments by enumeration: every tile width and thread count in a range, primes, and random shapes.

#include <gtest/gtest.h>

#include <set>

#include "layout/fragment.h"
#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

using Coord = std::vector<int64_t>;

/// The tile coordinates of slots (thread, reg), read off a definition and not off the implementation.
void expect_distributed(const Fragment& f, int64_t width, int64_t threads, int64_t vector) {
  int64_t passes = (width + threads * vector - 1) / (threads * vector);
  ASSERT_EQ(f.threads(), threads);
  ASSERT_EQ(f.registers(), passes * vector);
  for (int64_t i = 0; i < width; ++i) {
    FragmentSlot expected{i / vector % threads, i / (vector * threads) * vector + i % vector};
    ASSERT_EQ(f.slot(Coord{i}), expected) << width << " over " << threads << " by " << vector;
  }
}

TEST(FragmentLawTest, DistributionsAreBijectiveAtEveryWidthThreadCountAndVector) {
  std::vector<int64_t> widths, thread_counts{96, 128};
  for (int64_t w = 1; w <= 40; ++w) widths.push_back(w);
  for (int64_t prime : {43, 97, 127, 229, 509}) widths.push_back(prime);
  for (int64_t t = 1; t <= 40; ++t) thread_counts.push_back(t);
  for (int64_t width : widths) {
    for (int64_t threads : thread_counts) {
      for (int64_t vector : {1, 2, 4, 8}) {
        auto f = Fragment::distribute({width}, threads, vector);
        ASSERT_TRUE(f) << f.error();
        ASSERT_TRUE(f->is_bijective()) << f->to_string();
        expect_distributed(*f, width, threads, vector);
      }
    }
  }
}

TEST(FragmentLawTest, TwoDimensionalDistributionsAtTroublesomeWidths) {
  for (int64_t width : {1, 3, 24, 40, 48, 100, 127, 229}) {
    for (int64_t threads : {1, 7, 32, 48, 100, 128, 1000, 1024}) {
      for (int64_t vector : {1, 4}) {
        auto f = Fragment::distribute({5, width}, threads, vector);
        ASSERT_TRUE(f) << f.error();
        EXPECT_TRUE(f->is_bijective()) << f->to_string();
        EXPECT_EQ(Fragment::parse(f->to_string()).value(), *f);
        for (size_t dim : {0, 1}) {
          Fragment reduced = f->reduce(dim).value();
          EXPECT_TRUE(reduced.is_bijective());
          EXPECT_TRUE(reduced.contains(*f, std::vector<size_t>{1 - dim})) << f->to_string();
        }
      }
    }
  }
}

TEST(FragmentLawTest, RowDistributionsReduceToTheThreadsOfTheRow) {
  for (int64_t rows : {1, 3, 8, 13}) {
    for (int64_t width : {1, 5, 24, 100, 127}) {
      for (auto [threads, per_row] : {std::pair{32, 4}, {96, 32}, {100, 10}, {7, 7}, {128, 1}}) {
        auto f = Fragment::distribute_rows({rows, width}, threads, per_row, 2);
        ASSERT_TRUE(f) << f.error();
        EXPECT_TRUE(f->is_bijective()) << f->to_string();
        Fragment reduced = f->reduce(1).value();
        ASSERT_TRUE(reduced.is_bijective());
        EXPECT_EQ(reduced.replication(), per_row);
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t k = 0; k < per_row; ++k)
            EXPECT_EQ(reduced.thread(Coord{row}, k) / per_row, row % (threads / per_row));
        }
      }
    }
  }
}

/// A random thread-value fragment: a dense layout cut into thread and register leaves, then cropped.
Fragment random_fragment(RandomLayouts& random) {
  while (true) {
    std::vector<LayoutMode> leaves = random.dense().leaves(), sides[2];
    for (const LayoutMode& leaf : leaves) sides[random.pick(0, 1)].push_back(leaf);
    if (random.pick(0, 2) == 0)
      sides[0].insert(sides[0].begin() + random.pick(0, sides[0].size()), {random.pick(2, 3), 0});
    int64_t size = 1;
    for (const LayoutMode& leaf : leaves) size *= leaf.extent;
    int64_t columns = random.pick_from<int64_t>({1, 2, 3, 4, 6});
    if (size % columns != 0) continue;
    Layout tv = concat({Layout::make(sides[0]).value(), Layout::make(sides[1]).value()});
    Fragment f = Fragment::from_thread_value({size / columns, columns}, tv).value();
    if (random.pick(0, 1) == 0) return f;
    return f.crop({random.pick(1, f.extents()[0]), random.pick(1, columns)}).value();
  }
}

TEST(FragmentLawTest, DerivedFragmentsMeanWhatTheySay) {
  RandomLayouts random(31);
  for (int n = 0; n < 400; ++n) {
    Fragment f = random_fragment(random);
    ASSERT_TRUE(f.is_bijective()) << f.to_string();
    EXPECT_EQ(Fragment::parse(f.to_string()).value(), f);
    int64_t rows = f.extents()[0], columns = f.extents()[1];
    std::vector<int64_t> counts{random.pick(1, 3), random.pick(1, 3)};
    RepeatOver over = n % 2 == 0 ? RepeatOver::kThreads : RepeatOver::kRegisters;
    Fragment repeated = f.repeat(counts, over).value();
    Fragment transposed = f.project(std::vector<size_t>{1, 0}).value();
    Fragment copies = f.replicate(2).value();
    ASSERT_TRUE(repeated.is_bijective()) << f.to_string() << " -> " << repeated.to_string();
    ASSERT_TRUE(transposed.is_bijective());
    ASSERT_TRUE(copies.is_bijective());
    EXPECT_EQ(Fragment::parse(repeated.to_string()).value(), repeated);
    EXPECT_EQ(copies.replication(), 2 * f.replication());
    EXPECT_EQ(copies.filled_slots(), 2 * f.filled_slots());
    EXPECT_EQ(f.filled_slots(), f.size() * f.replication());
    EXPECT_EQ(repeated.filled_slots(), repeated.size() * f.replication());
    for (int64_t i = 0; i < repeated.extents()[0]; ++i) {
      for (int64_t j = 0; j < repeated.extents()[1]; ++j) {
        FragmentSlot atom = f.slot(Coord{i % rows, j % columns});
        int64_t copy = i / rows + j / columns * counts[0];
        (over == RepeatOver::kThreads ? atom.thread : atom.reg) +=
            copy * (over == RepeatOver::kThreads ? f.threads() : f.registers());
        ASSERT_EQ(repeated.slot(Coord{i, j}), atom) << f.to_string() << " -> " << repeated.to_string();
        ASSERT_EQ(transposed.slot(Coord{j % columns, i % rows}), f.slot(Coord{i % rows, j % columns}));
      }
    }
  }
}

TEST(FragmentLawTest, ReductionsAreHeldByExactlyTheHoldersOrByAll) {
  RandomLayouts random(32);
  int exact = 0;
  for (int n = 0; n < 400; ++n) {
    Fragment f = random_fragment(random);
    size_t dim = static_cast<size_t>(n % 2);
    Fragment reduced = f.reduce(dim).value();
    ASSERT_TRUE(reduced.is_bijective());
    EXPECT_TRUE(reduced.contains(f, std::vector<size_t>{1 - dim}));
    EXPECT_EQ(f.reduce(dim, true).value().extents()[dim], 1);
    if (f.threads() * f.registers() != f.size() * f.replication() || reduced.replication() == f.threads()) continue;
    ++exact;
    for (int64_t i = 0; i < f.extents()[1 - dim]; ++i) {
      std::set<int64_t> holders, replicas;
      for (int64_t j = 0; j < f.extents()[dim]; ++j) {
        Coord at = dim == 1 ? Coord{i, j} : Coord{j, i};
        for (int64_t k = 0; k < f.replication(); ++k) holders.insert(f.thread(at, k));
      }
      for (int64_t k = 0; k < reduced.replication(); ++k) replicas.insert(reduced.thread(Coord{i}, k));
      EXPECT_EQ(holders, replicas) << f.to_string();
    }
  }
  EXPECT_GT(exact, 50);
}

TEST(FragmentLawTest, VectorExtentsAreRunsOfTheLastDimension) {
  RandomLayouts random(34);
  int wide = 0;
  for (int n = 0; n < 600; ++n) {
    int64_t width = random.pick(1, 30), vector = random.pick(1, 8), per_row = random.pick(1, 4);
    Fragment f = n % 3 == 0   ? random_fragment(random)
                 : n % 3 == 1 ? Fragment::distribute({3, width}, 5, vector).value()
                              : Fragment::distribute_rows({3, width}, 2 * per_row, per_row, vector).value();
    int64_t v = f.vector_extent();
    wide += v > 1;
    ASSERT_EQ(f.registers() % v, 0);
    for (int64_t slot = 0; slot < f.threads() * f.registers(); ++slot) {
      int64_t thread = slot / f.registers(), reg = slot % f.registers();
      auto at = f.coordinate(thread, reg), first = f.coordinate(thread, reg - reg % v);
      if (!at) continue;
      ASSERT_TRUE(first && first->at(1) % v == 0) << f.to_string();
      ASSERT_EQ(*at, (Coord{first->at(0), first->at(1) + reg % v})) << f.to_string();
    }
  }
  EXPECT_GT(wide, 200);
}

TEST(FragmentLawTest, EqualityAgreesWithSlots) {
  RandomLayouts random(33);
  int equal = 0;
  for (int n = 0; n < 300; ++n) {
    Fragment f = random_fragment(random);
    std::vector<int64_t> slots;
    for (int64_t s = 0; s < f.threads() * f.registers(); ++s)
      slots.push_back(f.element(s / f.registers(), s % f.registers()).value_or(-1));
    bool swap = n % 2 == 0;
    size_t a = static_cast<size_t>(random.pick(0, static_cast<int64_t>(slots.size()) - 1));
    size_t b = static_cast<size_t>(random.pick(0, static_cast<int64_t>(slots.size()) - 1));
    std::vector<int64_t> changed(slots);
    if (swap) std::swap(changed[a], changed[b]);
    auto other = Fragment::from_slots(f.extents(), f.threads(), f.registers(), [&](int64_t thread, int64_t reg) {
      int64_t e = changed[static_cast<size_t>(thread * f.registers() + reg)];
      return e < 0 ? std::nullopt : std::optional(e);
    });
    if (!other) continue;
    EXPECT_EQ(*other == f, changed == slots);
    equal += changed == slots;
  }
  EXPECT_GT(equal, 100);
}

}  // namespace
}  // namespace tl
