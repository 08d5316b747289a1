// One kernel that breaks a rule beside one that keeps it.

#include <regex>

#include "unit/ascend/rule_kernels.h"
#include "unit/ascend/run_kernel.h"

namespace tl::simulate::ascend {
namespace {

/// Heads are written out here: kernels are found before macros have their meaning.
const std::string& rule_kernels() {
  static const std::string text =
      std::regex_replace(kRuleKernels, std::regex(R"(KERNEL\((\w+)\))"),
                         "extern \"C\" __global__ __vector__ void $1(__gm__ float* A, __gm__ float* B)");
  return text;
}

/// A kernel and the code of what is found; 0 for nothing.
struct Rule {
  const char* kernel;
  int code;
  int64_t blocks = 1;
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.kernel; }

class AscendRules : public testing::TestWithParam<Rule> {};

TEST_P(AscendRules, FoundOrClean) {
  std::vector<float> a(4096, 1), b(4096, 2);
  const RunReport report =
      run(load(rule_kernels()), launch(GetParam().kernel, GetParam().blocks, {range("A", a), range("B", b)}));
  if (GetParam().code == 0) {
    EXPECT_TRUE(report.clean()) << text_of(report);
    return;
  }
  ASSERT_FALSE(report.findings.empty());
  EXPECT_TRUE(has_code(report, GetParam().code)) << text_of(report);
  EXPECT_NE(report.findings[0].diagnostic.loc, Loc()) << text_of(report);
}

constexpr Rule kRules[] = {
    {"raw_bad", 125},
    {"raw_good", 0},
    {"raw_late_bad", 125},
    {"war_bad", 125},
    {"war_good", 0},
    {"waw_bad", 125},
    {"waw_good", 0},
    {"waw_apart_good", 0},
    {"waw_all_good", 0},
    {"chain_good", 0},
    {"vector_order_good", 0},
    {"scalar_bad", 125},
    {"scalar_good", 0},
    {"scalar_store_bad", 125},
    {"scalar_store_good", 0},
    {"store_overlap_bad", 125},
    {"store_overlap_good", 0},
    {"blocks_bad", 125, 2},
    {"blocks_good", 0, 2},
    {"blocks_atomic_good", 0, 3},
    {"atomic_left_on_bad", 126},
    {"set_twice_bad", 126},
    {"set_early_bad", 126},
    {"set_early_good", 0},
    {"left_set_bad", 126},
    {"never_set_bad", 127},
    {"scalar_never_set_bad", 127},
    {"circle_bad", 127},
    {"set_later_good", 0},
    {"no_such_flag_bad", 128},
    {"no_such_pipe_bad", 128},
    {"mutex_bad", 125},
    {"mutex_good", 0},
    {"mutex_held_bad", 126},
    {"mutex_nested_bad", 126},
    {"ub_end_bad", 120},
    {"ub_end_good", 0},
    {"gm_end_bad", 120},
    {"gm_end_good", 0},
    {"ub_aligned_bad", 128},
    {"bursts_bad", 128},
    {"bursts_good", 0},
    {"stride_bad", 128},
    {"stride_good", 0},
    {"store_poison_bad", 121},
    {"read_poison_bad", 121},
    {"read_poison_good", 0},
    {"too_many_threads_bad", 128},
    {"assert_bad", 110},
    {"assert_good", 0},
    {"threads_bad", 123},
    {"threads_good", 0},
    {"same_place_bad", 123},
    {"same_place_good", 0},
    {"gm_threads_bad", 123},
    {"gm_threads_good", 0},
    {"divergent_bad", 76},
    {"divergent_good", 0},
    {"count_bad", 123},
    {"count_good", 0},
    {"element_end_bad", 120},
    {"element_end_good", 0},
    {"element_below_bad", 120},
    {"element_aligned_bad", 128},
    {"gm_element_bad", 120},
    {"gm_element_good", 0},
};

INSTANTIATE_TEST_SUITE_P(All, AscendRules, testing::ValuesIn(kRules),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(AscendReports, DeadlockShowsWhoWaits) {
  std::vector<float> a(4096), b(4096);
  const RunReport report = run(load(rule_kernels()), launch("circle_bad", 1, {range("A", a), range("B", b)}));
  const std::string text = text_of(report);
  EXPECT_NE(text.find("PIPE_V of the vector core of block 0 waits in asc_sync_wait"), std::string::npos) << text;
  EXPECT_NE(text.find("set at line"), std::string::npos) << text;
}

TEST(AscendReports, FindingsBeyondTheLimitAreCounted) {
  std::vector<float> a(4096), b(4096);
  RunOptions options;
  options.max_findings = 0;
  const RunReport report = run(load(rule_kernels()), launch("waw_bad", 1, {range("A", a), range("B", b)}), options);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.dropped, 1);
  EXPECT_FALSE(report.clean());
}

TEST(AscendReports, OneTensorMayBeGivenTwice) {
  std::vector<float> a(4096, 1);
  GmRange fixed = range("A", a);
  fixed.writable = false;
  const RunReport report = run(load(rule_kernels()), launch("blocks_good", 2, {fixed, range("B", a)}));
  EXPECT_TRUE(report.clean()) << text_of(report);
  EXPECT_EQ(a[65], 1);
}

TEST(AscendReports, ReadOnlyTensorsAreNotWritten) {
  std::vector<float> a(4096), b(4096);
  GmRange fixed = range("B", b);
  fixed.writable = false;
  const RunReport report = run(load(rule_kernels()), launch("blocks_good", 1, {range("A", a), fixed}));
  EXPECT_TRUE(has_code(report, 120)) << text_of(report);
  EXPECT_EQ(b[1], 0);
}

}  // namespace
}  // namespace tl::simulate::ascend
