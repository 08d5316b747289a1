#include "layout/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

TEST(LayoutTest, MapsCoordinatesOfEveryFineness) {
  Layout l = layout_of("((2,3),4):((1,8),2)");
  EXPECT_EQ(l.rank(), 2u);
  EXPECT_EQ(l.depth(), 2);
  EXPECT_EQ(l.size(), 24);
  EXPECT_EQ(l.cosize(), 1 + 16 + 6 + 1);
  EXPECT_EQ(l(tuple_of(tuple_of(1, 2), 3)), 1 + 16 + 6);
  EXPECT_EQ(l({5, 3}), 1 + 16 + 6);
  EXPECT_EQ(l(23), 1 + 16 + 6);
  EXPECT_EQ(l.coordinate(23).to_string(), "((1,2),3)");
  EXPECT_EQ(l.mode(0).to_string(), "(2,3):(1,8)");
}

TEST(LayoutTest, LinearIndexAndCoordinateAgree) {
  RandomLayouts random(2);
  for (int n = 0; n < 200; ++n) {
    Layout l = random.any();
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t i = 0; i < l.size(); ++i) {
      EXPECT_EQ(l(i), l(l.coordinate(i)));
      low = std::min(low, l(i));
      high = std::max(high, l(i));
    }
    EXPECT_EQ(l.min_value(), low);
    EXPECT_EQ(l.max_value(), high);
    EXPECT_EQ(Layout::parse(l.to_string()).value(), l);
  }
}

TEST(LayoutTest, OutsideCoordinatesThrow) {
  Layout l = layout_of("(4,3):(1,4)");
  EXPECT_THROW(l(-1), std::out_of_range);
  EXPECT_THROW(l(12), std::out_of_range);
  EXPECT_THROW(l({4, 0}), std::out_of_range);
  EXPECT_THROW(l({0, -1}), std::out_of_range);
  EXPECT_THROW(l({0, 0, 0}), std::out_of_range);
  EXPECT_THROW(l(tuple_of(tuple_of(0, 0), 0)), std::out_of_range);
  EXPECT_THROW(l.coordinate(12), std::out_of_range);
}

TEST(LayoutTest, RefusesWhatIsNoLayout) {
  EXPECT_EQ(Layout::parse("(2,3):1").error(), "(2,3):1 is no layout: shape and stride are different trees");
  EXPECT_EQ(Layout::parse("(2,-3):(1,2)").error(), "(2,-3):(1,2) is no layout: a negative extent");
  EXPECT_EQ(Layout::parse("(4294967296,4294967296):(0,0)").error(),
            "(4294967296,4294967296):(0,0) is no layout: its size does not fit in 64 bits");
  EXPECT_FALSE(Layout::parse("(3,3):(4611686018427387904,1)"));
  EXPECT_FALSE(Layout::parse("2"));
  EXPECT_FALSE(Layout::parse("2:1:1"));
  EXPECT_FALSE(Layout::parse("2:9223372036854775807")) << "its cosize would not fit";
  EXPECT_TRUE(Layout::parse("2:9223372036854775806"));
  EXPECT_FALSE(make_row_major(IntTuple::parse("(4294967296,4294967296)").value()));
}

TEST(LayoutTest, EmptyScalarAndNegativeLayouts) {
  EXPECT_EQ(layout_of("(0,4):(4,1)").size(), 0);
  EXPECT_EQ(layout_of("(0,4):(4,1)").cosize(), 0);
  EXPECT_THROW(layout_of("(0,4):(4,1)")(0), std::out_of_range);
  EXPECT_EQ(Layout()(0), 0);
  EXPECT_EQ(Layout().cosize(), 1);
  Layout reversed = layout_of("(2,4):(10,-1)");
  EXPECT_EQ(reversed.min_value(), -3);
  EXPECT_EQ(reversed.cosize(), 11);
  EXPECT_EQ(reversed({1, 3}), 7);
}

TEST(LayoutTest, DenseLayouts) {
  IntTuple shape = IntTuple::parse("(3,(2,5),7)").value();
  EXPECT_EQ(make_row_major(shape)->to_string(), "(3,(2,5),7):(70,(35,7),1)");
  EXPECT_EQ(make_column_major(shape)->to_string(), "(3,(2,5),7):(1,(3,6),30)");
  EXPECT_EQ(make_identity(12)->to_string(), "12:1");
  EXPECT_FALSE(make_identity(-1));
}

TEST(LayoutTest, CoalesceIsTheShortestFormOfTheSameFunction) {
  EXPECT_EQ(coalesce(layout_of("(2,(1,6)):(1,(6,2))")).to_string(), "12:1");
  EXPECT_EQ(coalesce(layout_of("(4,1,3):(0,9,0)")).to_string(), "12:0");
  EXPECT_EQ(coalesce(layout_of("(1,1):(5,7)")).to_string(), "1:0");
  EXPECT_EQ(coalesce_modes(layout_of("((2,2),(3,1)):((1,2),(4,9))")).to_string(), "(4,3):(1,4)");
  RandomLayouts random(3);
  for (int n = 0; n < 300; ++n) {
    Layout l = random.any();
    EXPECT_EQ(values_of(coalesce(l)), values_of(l));
    EXPECT_EQ(values_of(flatten(l)), values_of(l));
    EXPECT_EQ(values_of(coalesce_modes(l)), values_of(l));
    Layout other = random.any();
    EXPECT_EQ(equivalent(l, other), values_of(l) == values_of(other)) << l.to_string() << " " << other.to_string();
  }
}

TEST(LayoutTest, FilterKeepsTheSetOfValues) {
  EXPECT_EQ(filter(layout_of("(4,3,2):(1,0,4)")).to_string(), "8:1");
  RandomLayouts random(4);
  for (int n = 0; n < 200; ++n) {
    Layout l = random.any();
    std::vector<int64_t> all = values_of(l), fewer = values_of(filter(l));
    EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()), std::set<int64_t>(fewer.begin(), fewer.end()));
  }
}

TEST(LayoutTest, InjectivityAgreesWithEnumeration) {
  RandomLayouts random(5);
  int injective = 0;
  for (int n = 0; n < 300; ++n) {
    Layout l = n % 2 == 0 ? random.any() : random.with_gaps(3);
    std::vector<int64_t> values = values_of(l);
    bool expected = std::set<int64_t>(values.begin(), values.end()).size() == values.size();
    EXPECT_EQ(is_injective(l), expected) << l.to_string();
    injective += expected;
  }
  EXPECT_GT(injective, 150);
  EXPECT_LT(injective, 300);
  EXPECT_TRUE(is_injective(layout_of("(2,3):(3,2)")));
  EXPECT_TRUE(is_injective(layout_of("(4,4):(-1,-4)")));
  EXPECT_FALSE(is_injective(layout_of("(4,4):(-1,2)")));
}

TEST(LayoutTest, SlicesKeepTheRestAndAnOffset) {
  Layout l = layout_of("(3,(2,5),7):(70,(35,7),1)");
  std::array<std::optional<int64_t>, 3> coordinate{2, std::nullopt, 4};
  auto cut = slice(l, coordinate);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->offset, 144);
  for (int64_t j = 0; j < 10; ++j) EXPECT_EQ(cut->offset + cut->layout(j), l({2, j, 4}));
  coordinate[0] = 3;
  EXPECT_EQ(slice(l, coordinate).error(), "slice: index 3 is outside mode 0 of (3,(2,5),7):(70,(35,7),1)");
  EXPECT_FALSE(slice(l, std::span(coordinate).first(2)));
}

TEST(LayoutTest, SelectsModes) {
  Layout l = layout_of("(3,(2,5),7):(70,(35,7),1)");
  EXPECT_EQ(select_modes(l, std::array<size_t, 2>{2, 0})->to_string(), "(7,3):(1,70)");
  EXPECT_EQ(select_modes(l, std::array<size_t, 1>{3}).error(), "select_modes: (3,(2,5),7):(70,(35,7),1) has no mode 3");
}

TEST(LayoutTest, RestrictsToABox) {
  Layout l = layout_of("(8,(2,6)):(12,(1,2))");
  auto box = restrict_to(l, std::array<int64_t, 2>{3, 4});
  ASSERT_TRUE(box);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 4; ++j) EXPECT_EQ((*box)({i, j}), l({i, j}));
  }
  Layout gapped = layout_of("((2,6)):((1,5))");
  EXPECT_FALSE(restrict_to(gapped, std::array<int64_t, 1>{3}));
  EXPECT_FALSE(restrict_to(l, std::array<int64_t, 2>{9, 4}));
  EXPECT_FALSE(restrict_to(l, std::array<int64_t, 1>{3}));
}

TEST(LayoutTest, PadsToMultiples) {
  Layout l = layout_of("(100,(2,7)):(14,(1,2))");
  auto padded = pad_to_multiples(l, std::array<int64_t, 2>{32, 4});
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->to_string(), "(128,(2,8)):(14,(1,2))");
  for (int64_t i = 0; i < 100; ++i) {
    for (int64_t j = 0; j < 14; ++j) EXPECT_EQ((*padded)({i, j}), l({i, j}));
  }
  EXPECT_EQ(pad_to_multiples(layout_of("24:1"), std::array<int64_t, 1>{12})->to_string(), "24:1");
  EXPECT_FALSE(pad_to_multiples(l, std::array<int64_t, 2>{0, 4}));
}

}  // namespace
}  // namespace tl
