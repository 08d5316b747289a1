// Every example of docs/layouts.md, computed here and looked up there.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>

#include "layout/algebra.h"
#include "layout/fragment.h"
#include "layout/relayout.h"
#include "layout/swizzle.h"
#include "unit/layout/random_layouts.h"

namespace tl {
namespace {

using Coord = std::vector<int64_t>;

/// The lines `left = right` of the page's text blocks, without indentation.
std::set<std::string> read_examples() {
  std::ifstream page(TL_TESTS_DIR "/../docs/layouts.md");
  std::set<std::string> examples;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```text";
    } else if (inside) {
      examples.insert(line.substr(line.find_first_not_of(' ')));
    }
  }
  return examples;
}

class LayoutExamples {
 public:
  void expect(std::string_view left, const std::string& right) {
    std::string line = fmt::format("{} = {}", left, right);
    EXPECT_EQ(unproven_.erase(line), 1u) << "docs/layouts.md does not say: " << line;
  }
  void expect(std::string_view left, int64_t right) { expect(left, std::to_string(right)); }
  void expect(std::string_view left, const Checked<Layout>& right) { expect(left, right.value().to_string()); }
  void expect(std::string_view left, const Swizzle& right) { expect(left, right.to_string()); }
  void expect(std::string_view left, const Fragment& right) { expect(left, right.to_string()); }
  /// The end of the error's message.
  void expect_error(std::string_view left, const Checked<Layout>& right) {
    ASSERT_FALSE(right.has_value());
    const std::string& message = right.error();
    expect(left, "error: " + message.substr(message.rfind(": ") + 2));
  }
  void expect_slot(const Fragment& fragment, const Coord& at, std::string_view left) {
    FragmentSlot slot = fragment.slot(at);
    expect(left, fmt::format("thread {}, register {}", slot.thread, slot.reg));
  }
  void expect_relayout(std::string_view left, const Fragment& from, const Fragment& to, int64_t bits) {
    RelayoutCost cost = classify_relayout(from, to, bits).value();
    expect(left, fmt::format("{}, {} shuffles, {} bytes shared, {} bytes moved", to_string(cost.kind), cost.shuffles,
                             cost.shared_bytes, cost.shared_traffic_bytes));
  }
  const std::set<std::string>& unproven() const { return unproven_; }

 private:
  std::set<std::string> unproven_ = read_examples();
};

void algebra_examples(LayoutExamples& page) {
  page.expect("(2,3):(1,2) at 5", layout_of("(2,3):(1,2)")(5));
  Layout nested = layout_of("((2,3),4):((1,8),2)");
  page.expect("((2,3),4):((1,8),2) at (5,3)", nested({5, 3}));
  page.expect("((2,3),4):((1,8),2) at ((1,2),3)", nested(tuple_of(tuple_of(1, 2), 3)));
  page.expect("row_major((3,4))", make_row_major(tuple_of(3, 4)));
  page.expect("column_major((3,4))", make_column_major(tuple_of(3, 4)));

  page.expect("coalesce((2,(1,6)):(1,(6,2)))", coalesce(layout_of("(2,(1,6)):(1,(6,2))")));
  page.expect("composition((6,2):(8,2), (4,3):(3,1))", composition(layout_of("(6,2):(8,2)"), layout_of("(4,3):(3,1)")));
  page.expect("complement((2,4):(1,6), 24)", complement(layout_of("(2,4):(1,6)"), 24));
  page.expect("right_inverse((4,3):(3,1))", right_inverse(layout_of("(4,3):(3,1)")));
  page.expect("left_inverse((4,3):(1,5))", left_inverse(layout_of("(4,3):(1,5)")));
  page.expect("logical_divide(24:1, 4:2)", logical_divide(layout_of("24:1"), layout_of("4:2")));
  std::array<Layout, 2> tiles{layout_of("4:1"), layout_of("3:1")};
  page.expect("zipped_divide((8,12):(12,1), {4:1, 3:1})", zipped_divide(layout_of("(8,12):(12,1)"), tiles));
  page.expect("logical_product((2,2):(4,1), 6:1)", logical_product(layout_of("(2,2):(4,1)"), layout_of("6:1")));
  page.expect("pad_to_multiples((100,24):(24,1), 32, 16)",
              pad_to_multiples(layout_of("(100,24):(24,1)"), std::array<int64_t, 2>{32, 16}));

  page.expect_error("composition((4,2):(1,10), (3,3):(1,1))",
                    composition(layout_of("(4,2):(1,10)"), layout_of("(3,3):(1,1)")));
  page.expect_error("logical_divide(10:1, 4:1)", logical_divide(layout_of("10:1"), layout_of("4:1")));
}

void swizzle_examples(LayoutExamples& page) {
  page.expect("bytes_32", Swizzle::bytes_32());
  page.expect("bytes_64", Swizzle::bytes_64());
  page.expect("bytes_128", Swizzle::bytes_128());
  Swizzle fp16 = Swizzle::bytes_128().recast(8, 16).value();
  page.expect("bytes_128 on fp16", fp16);
  ComposedLayout tile = ComposedLayout::make(fp16, 0, layout_of("(8,64):(64,1)")).value();
  page.expect("S<3,3,3> o 0 o (8,64):(64,1) at (3,10)", tile({3, 10}));
  page.expect("vector_extent(S<3,3,3> o 0 o (8,64):(64,1), 1)", tile.vector_extent(1));
  page.expect("vector_extent((8,100):(104,1), 1)", ComposedLayout(layout_of("(8,100):(104,1)")).vector_extent(1));
}

/// The published formulas of the three fractal formats, for 32 rows, 64 columns and fractal rows of 16.
void fractal_examples(LayoutExamples& page) {
  Layout nz = layout_of("(32,(16,4)):(16,(1,512))");
  Layout zz = layout_of("((16,2),(16,4)):((16,1024),(1,256))");
  Layout zn = layout_of("((16,2),(16,4)):((1,1024),(16,256))");
  for (int64_t r = 0; r < 32; ++r) {
    for (int64_t c = 0; c < 64; ++c) {
      EXPECT_EQ(nz({r, c}), c / 16 * 32 * 16 + r * 16 + c % 16);
      EXPECT_EQ(zz({r, c}), (r / 16 * 4 + c / 16) * 256 + r % 16 * 16 + c % 16);
      EXPECT_EQ(zn({r, c}), (r / 16 * 4 + c / 16) * 256 + c % 16 * 16 + r % 16);
    }
  }
  page.expect("Nz", nz);
  page.expect("Zz", zz);
  page.expect("Zn", zn);
}

void fragment_examples(LayoutExamples& page) {
  Fragment hundred = Fragment::distribute({100}, 32, 2).value();
  page.expect("distribute((100), 32 threads, vector 2)", hundred);
  page.expect_slot(hundred, {99}, "slot of (99)");
  page.expect("element of thread 18, register 2", hundred.element(18, 2) ? "" : "padding");
  page.expect("distribute_rows((6,100), 64 threads, 32 a row, vector 2)",
              Fragment::distribute_rows({6, 100}, 64, 32, 2).value());
  page.expect("replicated((3,5), 48 threads)", Fragment::replicated({3, 5}, 48).value());

  Fragment c = Fragment::from_thread_value({16, 8}, layout_of("((4,8),(2,2)):((2,8),(1,64))")).value();
  page.expect("accumulator", c);
  page.expect_slot(c, {11, 5}, "slot of (11,5)");
  Fragment a = Fragment::from_thread_value({16, 16}, layout_of("((4,8),(2,2,2)):((2,16),(1,128,8))")).value();
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t reg = 0; reg < 8; ++reg) {
      Coord expected{lane / 4 + reg / 2 % 2 * 8, lane % 4 * 2 + reg % 2 + reg / 4 * 8};
      EXPECT_EQ(a.coordinate(lane, reg).value(), expected);
    }
  }
  page.expect("operand A", a);

  Fragment wide = c.repeat(std::array<int64_t, 2>{1, 3}, RepeatOver::kRegisters).value();
  Fragment block = wide.repeat(std::array<int64_t, 2>{4, 1}, RepeatOver::kThreads).value();
  page.expect("accumulator repeated (1,3) over registers, (4,1) over threads", block);
  Fragment cropped = block.crop({64, 23}).value();
  page.expect("the same cropped to (64,23)", cropped);
  Fragment rows = cropped.reduce(1).value();
  page.expect("its rows, reduced over dimension 1", rows);
  page.expect("replication of its rows", rows.replication());
  EXPECT_TRUE(rows.contains(cropped, std::array<size_t, 1>{0}));
  page.expect("distribute((5,7), 4 threads) reduced over dimension 1",
              Fragment::distribute({5, 7}, 4).value().reduce(1).value());
}

void relayout_examples(LayoutExamples& page) {
  auto over = [](int64_t width, int64_t threads, int64_t vector) {
    return Fragment::distribute({width}, threads, vector).value();
  };
  page.expect_relayout("128 fp32 over 32 threads, vector 4 to vector 1", over(128, 32, 4), over(128, 32, 1), 32);
  page.expect_relayout("100 fp16 over 64 threads, vector 1 to vector 2", over(100, 64, 1), over(100, 64, 2), 16);
  page.expect_relayout("replicated to distributed, 32 fp32 over 32 threads", Fragment::replicated({32}, 32).value(),
                       over(32, 32, 1), 32);
}

TEST(LayoutExamplesTest, ThePageSaysWhatTheCodeComputes) {
  LayoutExamples page;
  ASSERT_GT(page.unproven().size(), 30u);
  algebra_examples(page);
  swizzle_examples(page);
  fractal_examples(page);
  fragment_examples(page);
  relayout_examples(page);
  for (const std::string& line : page.unproven()) ADD_FAILURE() << "no test computes: " << line;
}

}  // namespace
}  // namespace tl
