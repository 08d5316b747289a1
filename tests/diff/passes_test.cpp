// Every pass leaves a program's results as they are: interpret(before) == interpret(after), on random programs and on
// the examples of tests/ir.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "driver/differential.h"
#include "driver/shrink.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/pipeline.h"
#include "random_program.h"

namespace tl::testing {
namespace {

/// What a program may take; its loops over elements take more.
constexpr int64_t kMostSteps = 200000, kMostLoweredSteps = 50 * kMostSteps;

InterpretOptions quietly(bool check) {
  InterpretOptions options;
  options.check = check;
  options.step_limit = check ? kMostSteps : kMostLoweredSteps;
  options.print = [](std::string_view) {};
  return options;
}

/// What a program means: its arguments after the run. Nothing where the checker finds that it has no one meaning.
std::optional<ArgumentSet> meaning(const Function& function, const ArgumentSet& arguments) {
  ArgumentSet out = arguments;
  const RunReport report = run_on("interpret", function, out, quietly(true));
  for (const Finding& f : report.findings) {
    if (f.diagnostic.severity == Severity::kError && f.diagnostic.code != 124) return std::nullopt;
  }
  return out;
}

/// A machine's passes, and what they may rest on.
struct Lowering {
  const char* target;
  int64_t tensor_alignment;
};
constexpr Lowering kLowerings[] = {{"host", 1}, {"sm_90a", 16}, {"sm_90a", 1}};

/// Code of threads whose barriers are all there is to order them: what the checker says against it.
std::string race_in(const Function& lowered, const ArgumentSet& arguments) {
  InterpretOptions options = quietly(true);
  options.step_limit = kMostLoweredSteps;
  options.implicit_barriers = false;
  ArgumentSet now = arguments;
  for (const Finding& f : run_on("interpret", lowered, now, options).findings) {
    if (f.diagnostic.code == 123) return render(f.diagnostic);
  }
  return "";
}

/// Runs the passes of a machine one by one and stops at the first that changes what the program does: "pass: where".
/// Notes passes that changed the program's text.
std::string first_faulty_pass(const Lowering& lowering, const Function& function, const ArgumentSet& arguments,
                              const ArgumentSet& meant, std::set<std::string>* changed) {
  auto lowered = clone(function);
  Diagnostics diagnostics;
  const Attrs config;
  const Target& target = *find_target(lowering.target);
  PassContext context{target, config, diagnostics, lowering.tensor_alignment};
  for (const Step& step : pipeline_for(target.kind)) {
    const std::string before = print(*lowered);
    const std::string_view one[] = {step.pass};
    run_passes(*lowered, one, context, {});
    if (print(*lowered) == before) continue;
    if (changed != nullptr) changed->insert(std::string(step.pass));
    ArgumentSet now = arguments;
    run_on("interpret", *lowered, now, quietly(false));
    const std::string where = difference(function, "after", now, "before", meant, {.exact_sums = true});
    if (!where.empty()) return std::string(step.pass) + ": " + where;
  }
  if (target.kind == TargetKind::kCuda) {
    const std::string race = race_in(*lowered, arguments);
    if (!race.empty()) return "insert-barriers: " + race;
  }
  return "";
}

/// The same for every machine; the answer begins with its name.
std::string first_faulty_pass(const Function& function, const ArgumentSet& arguments, const ArgumentSet& meant,
                              std::set<std::string>* changed = nullptr) {
  bool meet = false;
  visit_ops(function.body, [&](const Op& op) { meet |= is_grid_barrier(op); });
  for (const Lowering& lowering : kLowerings) {
    // The processor refuses programs that wait for each other.
    if (meet && std::string_view(lowering.target) == "host") continue;
    const std::string why = first_faulty_pass(lowering, function, arguments, meant, changed);
    if (!why.empty()) return lowering.target + (", pass " + why);
  }
  return "";
}

/// The same for a candidate of the shrinker; its failures must name the same pass.
std::string shrunk(const Function& function, const std::map<std::string, int64_t>& settings, uint64_t seed,
                   const std::string& why) {
  const std::string pass = why.substr(0, why.find(':'));
  const auto small = shrink(function, [&](const Function& candidate) {
    try {
      const ArgumentSet arguments = random_arguments(candidate, seed, settings);
      const auto meant = meaning(candidate, arguments);
      return meant && first_faulty_pass(candidate, arguments, *meant).rfind(pass + ":", 0) == 0;
    } catch (const std::exception&) {
      return false;
    }
  });
  return print(*small);
}

/// `changed` receives the passes that have changed a program.
void check_random_programs(const ProgramOptions& options, uint64_t first_seed, int programs,
                           std::set<std::string>* changed = nullptr) {
  Coverage coverage;
  for (int i = 0; i < programs && !::testing::Test::HasFailure(); ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    const RandomProgram program = random_program("f", seed, options, coverage);
    EXPECT_EQ(print(*parse_function(print(*program.function))), print(*program.function)) << "seed " << seed;
    const ArgumentSet arguments = random_arguments(*program.function, seed, program.settings);
    const auto meant = meaning(*program.function, arguments);
    ASSERT_TRUE(meant) << "seed " << seed << " has no one meaning";
    std::string why;
    try {
      why = first_faulty_pass(*program.function, arguments, *meant, changed);
    } catch (const InternalError& e) {
      FAIL() << "seed " << seed << ": " << e.what() << "\n" << print(*program.function);
    }
    if (!why.empty()) {
      ADD_FAILURE() << "seed " << seed << ", " << why << "\n" << shrunk(*program.function, program.settings, seed, why);
    }
  }
}

void expect_all_passes_in(const std::set<std::string>& changed) {
  for (const Pass& pass : all_passes()) {
    if (pass.name == "check-program") continue;  // which changes nothing
    EXPECT_EQ(changed.count(std::string(pass.name)), 1u) << pass.name << " has changed no program";
  }
}

TEST(Passes, KeepWhatRandomProgramsDo) {
  std::set<std::string> changed;
  check_random_programs({}, 5000, 200, &changed);
  expect_all_passes_in(changed);
}

TEST(Passes, KeepWhatRandomProgramsOfAllTypesDo) {
  check_random_programs({.dtypes = ProgramOptions::all_dtypes()}, 9000, 100);
}

TEST(Passes, KeepWhatProgramsThatWaitForEachOtherDo) {
  ProgramOptions options;
  options.grid_barriers = true;
  std::set<std::string> changed;
  check_random_programs(options, 13000, 60, &changed);
  EXPECT_EQ(changed.count("insert-barriers"), 1u);
}

/// Runs the passes on the programs of a folder; how many runs had a meaning.
int check_programs_of(const std::string& folder) {
  int runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TL_TESTS_DIR) / folder)) {
    if (entry.path().extension() != ".tl") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    // What the passes make of it follows.
    const std::string input = text.str().substr(0, text.str().find("# output:"));
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      std::unique_ptr<Function> function;
      ArgumentSet arguments;
      std::optional<ArgumentSet> meant;
      try {
        function = parse_function(input);
        // Code of threads is what passes make, not what they are given.
        if (!verify(*function, Stage::kTile).empty()) continue;
        arguments = random_arguments(*function, seed);
        meant = meaning(*function, arguments);
        if (!meant) continue;
        EXPECT_EQ(first_faulty_pass(*function, arguments, *meant), "") << entry.path() << " seed " << seed;
        ++runs;
      } catch (const CompileError&) {
        continue;  // an example of an error, or of a machine that is not here
      }
    }
  }
  return runs;
}

TEST(Passes, KeepWhatTheExamplesDo) { EXPECT_GT(check_programs_of("ir"), 10); }

TEST(Passes, KeepWhatSmallProgramsThatOnceWentWrongDo) {
  EXPECT_GT(check_programs_of("diff/regressions"), 5);
  EXPECT_GT(check_programs_of("diff/regressions/passes"), 0);
}

}  // namespace
}  // namespace tl::testing
