#include "layout/shape.h"

#include <gtest/gtest.h>

#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

TEST(IntTupleTest, MeasuresTrees) {
  IntTuple t = tuple_of(tuple_of(2, 3), 4);
  EXPECT_EQ(t.rank(), 2u);
  EXPECT_EQ(t.depth(), 2);
  EXPECT_EQ(t.product(), 24);
  EXPECT_EQ(t.leaves(), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(IntTuple(7).rank(), 1u);
  EXPECT_EQ(IntTuple(7).depth(), 0);
  EXPECT_EQ(IntTuple(7)[0], IntTuple(7));
  EXPECT_EQ(IntTuple().product(), 1);
  EXPECT_EQ(IntTuple().depth(), 1);
}

TEST(IntTupleTest, ALeafIsNotAListOfOne) {
  EXPECT_NE(IntTuple(4), tuple_of(4));
  EXPECT_EQ(tuple_of(4).to_string(), "(4)");
  EXPECT_EQ(IntTuple::parse("(4)").value(), tuple_of(4));
}

TEST(IntTupleTest, PrintsAndParses) {
  for (std::string_view text : {"4", "-4", "()", "(4)", "(2,3)", "((2,3),4)", "((),(1))", "9223372036854775807"}) {
    EXPECT_EQ(IntTuple::parse(text).value().to_string(), text);
  }
  EXPECT_EQ(IntTuple::parse(" ( 2 , (3 ,4) ) ").value().to_string(), "(2,(3,4))");
  RandomLayouts random(1);
  for (int i = 0; i < 200; ++i) {
    IntTuple t = random.shape(3);
    EXPECT_EQ(IntTuple::parse(t.to_string()).value(), t);
  }
}

TEST(IntTupleTest, RefusesWhatIsNoTuple) {
  for (std::string_view text : {"", "(", ")", "(2", "(2,", "(2,)", "2)", "2 3", "(2)(3)", "x", "9223372036854775808"}) {
    EXPECT_FALSE(IntTuple::parse(text)) << text;
  }
  EXPECT_EQ(IntTuple::parse("(2,x)").error(), "expected an integer or '(' at column 4 of '(2,x)'");
  EXPECT_FALSE(IntTuple::parse(std::string(1000, '(') + '1' + std::string(1000, ')')));
}

TEST(IntTupleTest, ProductsThatDoNotFitAreSeen) {
  EXPECT_EQ(IntTuple::parse("(4294967296,4294967296)").value().checked_product(), std::nullopt);
  EXPECT_EQ(IntTuple::parse("(4294967296,4294967296,0)").value().checked_product(), 0);
  EXPECT_EQ(IntTuple::parse("(4294967296,1073741824)").value().checked_product(), int64_t{1} << 62);
}

TEST(IntTupleTest, CongruentAndCompatible) {
  auto parse = [](std::string_view text) { return IntTuple::parse(text).value(); };
  EXPECT_TRUE(congruent(parse("((2,3),4)"), parse("((0,1),5)")));
  EXPECT_FALSE(congruent(parse("((2,3),4)"), parse("(6,4)")));
  EXPECT_FALSE(congruent(parse("(4)"), parse("4")));
  EXPECT_TRUE(compatible(parse("24"), parse("((2,3),4)")));
  EXPECT_TRUE(compatible(parse("(6,4)"), parse("((2,3),4)")));
  EXPECT_FALSE(compatible(parse("((2,3),4)"), parse("(6,4)")));
  EXPECT_FALSE(compatible(parse("(4,6)"), parse("((2,3),4)")));
}

}  // namespace
}  // namespace tl
