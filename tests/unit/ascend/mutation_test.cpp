// Takes correct kernels and spoils one synchronisation at a time: the simulator must notice each.

#include <fmt/format.h>

#include <functional>
#include <regex>

#include "unit/ascend/gemm_kernel.h"
#include "unit/ascend/run_kernel.h"
#include "unit/ascend/vector_add_kernel.h"

namespace tl::simulate::ascend {
namespace {

struct Mutant {
  std::string what, text;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find('\n', i), text.size());
    out.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// Each flag call deleted, given another id, and turned to another pipe; and all flags of each pair of pipes deleted.
std::vector<Mutant> mutants_of(const std::string& text) {
  static const std::regex kFlag(R"(asc_sync_(notify|wait)\((PIPE_\w+), (PIPE_\w+), (.*)\);)");
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Mutant> out;
  std::vector<std::string> pairs;
  const auto with = [&](size_t i, const std::string& line) {
    std::vector<std::string> changed = lines;
    changed[i] = line;
    return joined(changed);
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kFlag)) continue;
    const std::string call = match[1], from = match[2], to = match[3], id = match[4];
    const std::string head = "  asc_sync_" + call + "(";
    const std::string other = from == "PIPE_MTE2" || to == "PIPE_MTE2"
                                  ? (from == "PIPE_MTE3" || to == "PIPE_MTE3" ? "PIPE_S" : "PIPE_MTE3")
                                  : "PIPE_MTE2";
    out.push_back({fmt::format("line {} deleted: {}", i + 1, lines[i]), with(i, "")});
    out.push_back({fmt::format("line {} with another id: {}", i + 1, lines[i]),
                   with(i, head + from + ", " + to + ", ((" + id + ") ^ 1));")});
    out.push_back({fmt::format("line {} from {}: {}", i + 1, other, lines[i]),
                   with(i, head + other + ", " + to + ", " + id + ");")});
    out.push_back({fmt::format("line {} to {}: {}", i + 1, other, lines[i]),
                   with(i, head + from + ", " + other + ", " + id + ");")});
    const std::string pair = from + ", " + to + ",";
    if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) continue;
    pairs.push_back(pair);
    std::vector<std::string> changed = lines;
    for (std::string& line : changed) {
      if (line.find("asc_sync_") != std::string::npos && line.find(pair) != std::string::npos) line.clear();
    }
    out.push_back({"without flags " + pair, joined(changed)});
  }
  return out;
}

/// All mutants in one text, each with names of its own.
std::string together(const std::vector<Mutant>& mutants, const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < mutants.size(); ++i) {
    std::string text = mutants[i].text;
    for (const std::string& name : names) {
      text = std::regex_replace(text, std::regex("\\b" + name + "\\b"), fmt::format("{}_{}", name, i));
    }
    out += text;
  }
  return out;
}

TEST(AscendMutants, EveryFlagOfVectorAdd) {
  const std::vector<Mutant> mutants = mutants_of(kVectorAdd);
  const Program& program = load(together(mutants, {"vector_add", "add_tile"}));
  EXPECT_GT(mutants.size(), 60U);
  for (size_t i = 0; i < mutants.size(); ++i) {
    std::vector<float> a(30000, 1), b(30000, 2), c(30000);
    const RunReport report = run(program, launch(fmt::format("vector_add_{}", i), 2,
                                                 {range("A", a), range("B", b), range("C", c, false)}, {30000}));
    EXPECT_FALSE(report.clean()) << mutants[i].what;
  }
}

TEST(AscendMutants, EveryFlagOfGemm) {
  const std::vector<Mutant> mutants = mutants_of(kGemm);
  const Program& program = load(together(mutants, {"gemm"}));
  EXPECT_GT(mutants.size(), 80U);
  for (size_t i = 0; i < mutants.size(); ++i) {
    std::vector<uint16_t> a(128 * 192, 0x3c00), b(512 * 192, 0x3c00);
    std::vector<float> c(128 * 512);
    const RunReport report = run(
        program,
        launch(fmt::format("gemm_{}", i), 1, {range("A", a), range("B", b), range("C", c, false)}, {128, 512, 192}));
    EXPECT_FALSE(report.clean()) << mutants[i].what;
  }
}

TEST(AscendMutants, MissingFlagsAreNamed) {
  std::vector<std::string> lines = lines_of(kVectorAdd);
  for (std::string& line : lines) {
    if (line.find("PIPE_MTE2, PIPE_V,") != std::string::npos) line.clear();
  }
  std::vector<float> a(5000, 1), b(5000, 2), c(5000);
  const RunReport report =
      run(load(joined(lines)), launch("vector_add", 1, {range("A", a), range("B", b), range("C", c)}, {5000}));
  ASSERT_TRUE(has_code(report, 125)) << text_of(report);
  const std::string text = text_of(report);
  EXPECT_NE(text.find("a thread on PIPE_V reads bytes [0, 16384) of UB that asc_copy_gm2ub_align on PIPE_MTE2 writes"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("asc_sync_notify(PIPE_MTE2, PIPE_V, id) behind line 23 and asc_sync_wait(PIPE_MTE2, PIPE_V, id) "
                      "before line 28"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tl::simulate::ascend
