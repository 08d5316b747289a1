// Laws of the algebra, by enumeration on small random layouts, and the cases that have no answer.

#include "layout/algebra.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

/// Whether values[i] for i = 0, 1, ... are those of some layout.
bool is_a_layout(const std::vector<int64_t>& values) {
  int64_t size = static_cast<int64_t>(values.size());
  for (int64_t block = 1; block < size;) {
    int64_t extent = 1;
    while (extent * block < size && values[extent * block] == extent * values[block]) ++extent;
    if (size % (extent * block) != 0) return false;
    for (int64_t i = 0; i < extent * block; ++i) {
      if (values[i] != values[i % block] + i / block * values[block]) return false;
    }
    block *= extent;
  }
  return true;
}

/// Whether outer(inner(c)) is a sum of layouts, one of each leaf of `inner`: what `composition` can express.
bool has_composition(const Layout& outer, const Layout& inner) {
  if (inner.max_value() >= outer.size()) return false;
  std::vector<LayoutMode> leaves = inner.leaves();
  for (const LayoutMode& leaf : leaves) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < leaf.extent; ++i) values.push_back(outer(i * leaf.stride));
    if (!is_a_layout(values)) return false;
  }
  for (int64_t i = 0; i < inner.size(); ++i) {
    int64_t sum = 0, rest = i;
    for (const LayoutMode& leaf : leaves) {
      sum += outer(rest % leaf.extent * leaf.stride);
      rest /= leaf.extent;
    }
    if (outer(inner(i)) != sum) return false;
  }
  return true;
}

void expect_composes(const Layout& outer, const Layout& inner, const Layout& composed) {
  EXPECT_TRUE(compatible(inner.shape(), composed.shape())) << composed.to_string();
  for (int64_t i = 0; i < inner.size(); ++i) {
    ASSERT_EQ(composed(i), outer(inner(i)))
        << outer.to_string() << " o " << inner.to_string() << " = " << composed.to_string();
  }
}

TEST(CompositionTest, PublishedExamples) {
  auto text = [](std::string_view a, std::string_view b) {
    return composition(layout_of(a), layout_of(b))->to_string();
  };
  EXPECT_EQ(text("(6,2):(8,2)", "(4,3):(3,1)"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(text("20:2", "(5,4):(4,1)"), "(5,4):(8,2)");
  EXPECT_EQ(text("(10,2):(16,4)", "(5,4):(1,5)"), "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(text("(4,3):(1,8)", "2:6"), "2:10");
}

TEST(CompositionTest, IsRightWheneverItAnswersAndAnswersWheneverItCan) {
  RandomLayouts random(11);
  int answered = 0, refused_inside = 0;
  for (int n = 0; n < 6000; ++n) {
    Layout outer = random.any(), inner = random.any();
    auto composed = composition(outer, inner);
    EXPECT_EQ(composed.has_value(), has_composition(outer, inner)) << outer.to_string() << " o " << inner.to_string();
    if (composed) expect_composes(outer, inner, *composed);
    answered += composed.has_value();
    refused_inside += !composed && inner.max_value() < outer.size();
  }
  EXPECT_GT(answered, 700);
  EXPECT_GT(refused_inside, 300);
}

TEST(CompositionTest, IsAssociative) {
  RandomLayouts random(12);
  int compared = 0;
  for (int n = 0; n < 20000 && compared < 1000; ++n) {
    Layout a = random.any(), b = random.with_gaps(2), c = random.with_gaps(2);
    auto ab = composition(a, b), bc = composition(b, c);
    if (!ab || !bc) continue;
    auto left = composition(*ab, c), right = composition(a, *bc);
    if (!left || !right) continue;
    ++compared;
    EXPECT_EQ(values_of(*left), values_of(*right)) << a.to_string() << " " << b.to_string() << " " << c.to_string();
  }
  EXPECT_EQ(compared, 1000);
}

TEST(CompositionTest, SaysWhyThereIsNone) {
  auto error = [](std::string_view a, std::string_view b) { return composition(layout_of(a), layout_of(b)).error(); };
  EXPECT_EQ(error("(4,2):(1,10)", "3:2"),
            "composition of (4,2):(1,10) with 3:2: the mode 3:2 has steps across a boundary of the outer shape");
  EXPECT_EQ(error("(4,2):(1,10)", "(3,3):(1,1)"),
            "composition of (4,2):(1,10) with (3,3):(1,1): sums of the inner modes carry across a boundary of the "
            "outer shape");
  EXPECT_EQ(error("4:1", "(4,2):(1,1)"),
            "composition of 4:1 with (4,2):(1,1): the inner layout reaches 4, the outer has 4 elements");
  EXPECT_FALSE(composition(layout_of("4:1"), layout_of("5:1")));
  EXPECT_FALSE(composition(layout_of("4:1"), layout_of("4:-1")));
  EXPECT_FALSE(composition(layout_of("0:1"), layout_of("1:0")));
  EXPECT_TRUE(composition(layout_of("4:-1"), layout_of("2:2")));
}

TEST(CompositionTest, ByMode) {
  std::array<Layout, 2> tiles{layout_of("4:2"), layout_of("(2,2):(1,3)")};
  auto picked = composition_by_mode(layout_of("(8,6,5):(30,5,1)"), tiles);
  EXPECT_EQ(picked->to_string(), "(4,(2,2),5):(60,(5,15),1)");
  EXPECT_FALSE(composition_by_mode(layout_of("8:1"), tiles));
}

TEST(ComplementTest, IsDisjointOrderedAndCovers) {
  RandomLayouts random(13);
  int answered = 0;
  for (int n = 0; n < 2000; ++n) {
    Layout l = n % 2 == 0 ? random.with_gaps(3) : random.any();
    int64_t size = random.pick(1, 500);
    auto rest = complement(l, size);
    if (!rest) {
      EXPECT_NE(n % 2, 0) << l.to_string() << ": " << rest.error();
      continue;
    }
    ++answered;
    std::map<int64_t, int64_t> times;
    Layout both = concat({filter(l), *rest});
    for (int64_t i = 0; i < both.size(); ++i) ++times[both(i)];
    EXPECT_EQ(times.begin()->first, 0);
    EXPECT_EQ(times.rbegin()->first, static_cast<int64_t>(times.size()) - 1) << l.to_string();
    EXPECT_GE(static_cast<int64_t>(times.size()), std::max(size, l.cosize()));
    for (auto [value, count] : times) EXPECT_EQ(count, 1) << l.to_string();
    for (int64_t i = 1; i < rest->size(); ++i) EXPECT_LT((*rest)(i - 1), (*rest)(i));
  }
  EXPECT_GT(answered, 1200);
}

TEST(ComplementTest, ExamplesAndRefusals) {
  EXPECT_EQ(complement(layout_of("4:1"), 24)->to_string(), "6:4");
  EXPECT_EQ(complement(layout_of("6:4"), 24)->to_string(), "4:1");
  EXPECT_EQ(complement(layout_of("(2,4):(1,6)"), 24)->to_string(), "3:2");
  EXPECT_EQ(complement(layout_of("4:1"), 10)->to_string(), "3:4");
  EXPECT_EQ(complement(layout_of("4:0"), 10)->to_string(), "10:1");
  EXPECT_EQ(complement(layout_of("(2,2):(1,3)"), 6).error(),
            "(2,2):(1,3) has no complement in 6: stride 3 is no multiple of the 2 elements below it");
  EXPECT_FALSE(complement(layout_of("(2,2):(1,1)"), 4));
  EXPECT_FALSE(complement(layout_of("4:-1"), 4));
  EXPECT_FALSE(complement(layout_of("4:1"), 0));
  EXPECT_FALSE(complement(layout_of("0:1"), 4));
}

TEST(InverseTest, RightInverseIsOne) {
  EXPECT_EQ(right_inverse(layout_of("(4,3):(3,1)")).to_string(), "(3,4):(4,1)");
  EXPECT_EQ(right_inverse(layout_of("(4,3):(2,9)")).to_string(), "1:0");
  RandomLayouts random(14);
  for (int n = 0; n < 1000; ++n) {
    Layout l = n % 2 == 0 ? random.dense() : random.any();
    Layout r = right_inverse(l);
    EXPECT_TRUE(n % 2 != 0 || r.size() == l.size()) << l.to_string();
    for (int64_t i = 0; i < r.size(); ++i) ASSERT_EQ(l(r(i)), i) << l.to_string();
  }
}

TEST(InverseTest, LeftInverseIsOne) {
  EXPECT_EQ(left_inverse(layout_of("(4,3):(3,1)"))->to_string(), "(3,4):(4,1)");
  EXPECT_EQ(left_inverse(layout_of("(4,3):(1,5)"))->to_string(), "(5,3):(1,4)");
  RandomLayouts random(15);
  int answered = 0;
  for (int n = 0; n < 2000; ++n) {
    Layout l = n % 2 == 0 ? random.with_gaps(4) : random.any();
    auto r = left_inverse(l);
    if (!r) {
      EXPECT_NE(n % 2, 0) << l.to_string() << ": " << r.error();
      continue;
    }
    ++answered;
    for (int64_t i = 0; i < l.size(); ++i) ASSERT_EQ((*r)(l(i)), i) << l.to_string();
  }
  EXPECT_GT(answered, 1100);
  EXPECT_EQ(left_inverse(layout_of("(2,2):(1,1)")).error(),
            "(2,2):(1,1) has no left inverse: two coordinates may share a value");
  EXPECT_FALSE(left_inverse(layout_of("(2,2):(1,0)")));
  EXPECT_FALSE(left_inverse(layout_of("(2,2):(2,3)")));
  EXPECT_FALSE(left_inverse(layout_of("2:-1")));
}

TEST(InverseTest, InverseOfABijectionIsTwoSided) {
  RandomLayouts random(16);
  for (int n = 0; n < 300; ++n) {
    Layout l = random.dense();
    Layout inverse = right_inverse(l);
    EXPECT_EQ(inverse, left_inverse(l).value());
    EXPECT_TRUE(equivalent(right_inverse(inverse), l));
  }
}

TEST(DivideTest, TilesTheLayout) {
  RandomLayouts random(17);
  int answered = 0;
  for (int n = 0; n < 4000; ++n) {
    Layout l = random.any(), tile = random.with_gaps(3);
    auto divided = logical_divide(l, tile);
    if (!divided) continue;
    ++answered;
    Layout rest = complement(tile, l.size()).value();
    ASSERT_EQ(divided->mode(0).size(), tile.size());
    ASSERT_EQ(divided->size(), l.size());
    std::vector<int64_t> all = values_of(l), again = values_of(*divided);
    for (int64_t j = 0; j < rest.size(); ++j) {
      for (int64_t i = 0; i < tile.size(); ++i) ASSERT_EQ((*divided)({i, j}), l(tile(i) + rest(j)));
    }
    std::sort(all.begin(), all.end());
    std::sort(again.begin(), again.end());
    EXPECT_EQ(all, again);
  }
  EXPECT_GT(answered, 400);
}

TEST(DivideTest, ByModesZippedAndTiled) {
  Layout l = layout_of("(8,12,3):(36,3,1)");
  std::array<Layout, 2> tiles{layout_of("4:1"), layout_of("(2,2):(1,6)")};
  EXPECT_EQ(logical_divide(l, tiles)->to_string(), "((4,2),((2,2),3),3):((36,144),((3,18),6),1)");
  EXPECT_EQ(zipped_divide(l, tiles)->to_string(), "((4,(2,2)),(2,3,3)):((36,(3,18)),(144,6,1))");
  EXPECT_EQ(tiled_divide(l, tiles)->to_string(), "((4,(2,2)),2,3,3):((36,(3,18)),144,6,1)");
}

TEST(DivideTest, RefusesTilesThatDoNotDivide) {
  EXPECT_EQ(logical_divide(layout_of("10:1"), layout_of("4:1")).error(),
            "logical_divide: the 10 elements of 10:1 do not divide into tiles 4:1; pad first");
  auto padded = pad_to_multiples(layout_of("10:1"), std::array<int64_t, 1>{4});
  EXPECT_EQ(logical_divide(*padded, layout_of("4:1"))->to_string(), "(4,3):(1,4)");
  EXPECT_FALSE(logical_divide(layout_of("4:1"), layout_of("8:1")));
  EXPECT_FALSE(logical_divide(layout_of("(4,3):(1,9)"), layout_of("6:1")));
  EXPECT_FALSE(logical_divide(layout_of("0:1"), layout_of("1:0")));
  std::array<Layout, 2> tiles{layout_of("4:1"), layout_of("4:1")};
  EXPECT_FALSE(zipped_divide(layout_of("8:1"), tiles));
}

TEST(ProductTest, RepeatsTheBlockDisjointly) {
  EXPECT_EQ(logical_product(layout_of("(2,2):(4,1)"), layout_of("6:1"))->to_string(), "((2,2),(2,3)):((4,1),(2,8))");
  RandomLayouts random(18);
  int answered = 0;
  for (int n = 0; n < 1000; ++n) {
    Layout block = random.with_gaps(2), tiling = random.dense();
    auto product = logical_product(block, tiling);
    if (!product) continue;
    ++answered;
    ASSERT_EQ(product->mode(0), block);
    EXPECT_EQ(product->mode(1).size(), tiling.size());
    EXPECT_TRUE(is_injective(coalesce(*product)));
    Layout copies = complement(block, block.size() * tiling.cosize()).value();
    for (int64_t j = 0; j < tiling.size(); ++j) ASSERT_EQ(product->mode(1)(j), copies(tiling(j)));
  }
  EXPECT_GT(answered, 300);
}

TEST(ProductTest, BlockedKeepsTheRank) {
  auto blocked = blocked_product(layout_of("(2,5):(5,1)"), layout_of("(3,4):(1,3)"));
  EXPECT_EQ(blocked->to_string(), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(tiled_product(layout_of("(2,5):(5,1)"), layout_of("(3,4):(1,3)"))->to_string(),
            "((2,5),3,4):((5,1),10,30)");
  EXPECT_FALSE(blocked_product(layout_of("(2,5):(5,1)"), layout_of("3:1")));
  EXPECT_FALSE(logical_product(layout_of("2:-1"), layout_of("3:1")));
  EXPECT_FALSE(logical_product(layout_of("2:1"), layout_of("3:-1")));
}

}  // namespace
}  // namespace tl
