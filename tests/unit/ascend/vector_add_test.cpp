#include <random>

#include "unit/ascend/run_kernel.h"
#include "unit/ascend/vector_add_kernel.h"

namespace tl::simulate::ascend {
namespace {

struct Sum {
  std::vector<float> a, b, c;
  RunReport report;
};

Sum add(int32_t n, int64_t blocks, const RunOptions& options = {}) {
  std::mt19937 random(static_cast<uint32_t>(n));
  std::uniform_real_distribution<float> values(-1, 1);
  const auto count = static_cast<size_t>(n);
  Sum s{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count, -7), {}};
  for (size_t i = 0; i < count; ++i) {
    s.a[i] = values(random);
    s.b[i] = values(random);
  }
  s.report =
      run(load(kVectorAdd),
          launch("vector_add", blocks, {range("A", s.a), range("B", s.b), range("C", s.c, false)}, {n}), options);
  return s;
}

TEST(AscendVectorAdd, AnyLengthIsRightAndClean) {
  for (const int32_t n : {1, 7, 255, 4096, 4097, 12288, 50001}) {
    const Sum s = add(n, 3);
    EXPECT_TRUE(s.report.clean()) << n << "\n" << text_of(s.report);
    for (size_t i = 0; i < s.a.size(); ++i) ASSERT_EQ(s.c[i], s.a[i] + s.b[i]) << "element " << i << " of " << n;
  }
}

TEST(AscendVectorAdd, BlocksWithoutWorkAreClean) {
  const Sum s = add(100, 5);
  EXPECT_TRUE(s.report.clean()) << text_of(s.report);
}

TEST(AscendVectorAdd, EstimatesAndTimeline) {
  const Sum s = add(40960, 2, {.timeline = true});
  EXPECT_GT(s.report.cost.cycles, 0);
  EXPECT_EQ(s.report.timeline.size(), 40U);
  const std::string json = timeline_json(s.report);
  EXPECT_NE(json.find("\"asc_vf_call\""), std::string::npos);
  EXPECT_NE(json.find("PIPE_MTE2"), std::string::npos);
}

}  // namespace
}  // namespace tl::simulate::ascend
