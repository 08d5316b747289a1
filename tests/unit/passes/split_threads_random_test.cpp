#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "passes/lower/split_threads.h"
#include "simulate/interpreter.h"
#include "unit/passes/pass_run.h"
#include "unit/passes/thread_programs.h"

namespace tl {
namespace {

struct Result {
  std::vector<int32_t> b, c;
  bool operator==(const Result&) const = default;
};

Result result_of(const Function& function, int threads) {
  const auto n = static_cast<size_t>(threads) * 4;
  std::vector<int32_t> a(n);
  Result out{std::vector<int32_t>(n, 1), std::vector<int32_t>(4, 7)};
  for (size_t i = 0; i < n; ++i) a[i] = static_cast<int32_t>(i * 7 % 23) - 9;
  const auto tensor = [](std::vector<int32_t>& data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return TensorArg{data.data(), DType::i32(), std::move(shape), std::move(strides)};
  };
  const Arg args[] = {tensor(a, {threads, 4}, {4, 1}), tensor(out.b, {threads, 4}, {4, 1}), tensor(out.c, {4}, {1}),
                      Scalar::of_int(DType::i32(), 3)};
  interpret(function, args, {.check = false, .step_limit = 1000000});
  return out;
}

/// The seed's program gives the same result before and after the pass. False where the pass refuses it.
bool same_before_and_after(uint64_t seed, std::map<std::string, int>& made) {
  const testing::ThreadProgram program = testing::random_thread_program(seed);
  const auto before = parse_function(program.text);
  const testing::PassRun run = testing::run_pass(split_threads, program.text);
  if (run.diagnostics.has_errors()) return false;
  for (const auto& [what, count] : program.made) made[what] += count;
  EXPECT_EQ(result_of(*before, program.threads), result_of(*run.function, program.threads))
      << "seed " << seed << "\n"
      << program.text << "\nafter:\n"
      << run.text();
  return true;
}

TEST(SplitThreadsRandom, SameResultBeforeAndAfter) {
  const char* count = std::getenv("TL_RANDOM_PROGRAMS");
  const uint64_t programs = count != nullptr ? std::strtoull(count, nullptr, 10) : 300;
  uint64_t refused = 0;
  std::map<std::string, int> made;
  for (uint64_t seed = 0; seed < programs && !::testing::Test::HasFailure(); ++seed) {
    if (!same_before_and_after(seed, made)) ++refused;
  }
  EXPECT_LT(refused * 20, programs) << "too few programs are tried";
  for (const char* what : {"store", "bind", "variable", "own tile", "barrier", "tile", "parallel", "uniform store",
                           "jump of all", "jump of single threads", "branch of all", "branch of single threads",
                           "for of all", "for of single threads", "while of all", "while of single threads", "group"}) {
    EXPECT_GT(made[what], 5) << what;
  }
}

}  // namespace
}  // namespace tl
