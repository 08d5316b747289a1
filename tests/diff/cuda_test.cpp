// What code of a GPU does is what the interpreter says, on random programs; needs a CUDA device. TL_RANDOM_PROGRAMS and
// TL_RANDOM_SEED choose others; random_cuda.py runs many.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "crash_report.h"
#include "differential_run.h"
#include "driver/compile.h"
#include "driver/cuda_target.h"
#include "driver/differential.h"
#include "ir/text.h"
#include "runtime/cuda_driver.h"
#include "runtime/cuda_error.h"
#include "support/diagnostic.h"

namespace tl::testing {
namespace {

/// The target of the first device; empty without one.
std::string device_target() {
  try {
    const CudaDevice device = cuda_driver().device(0);
    const Target* target = cuda_target_of(device.major, device.minor);
    return target == nullptr ? "" : std::string(target->name);
  } catch (const CompileError&) {
    return "";
  }
}

/// The number of parameters of a kernel of `source`; nothing when there is no such kernel.
std::optional<size_t> parameters_of(const std::string& source, const std::string& symbol) {
  const size_t name = source.find(" " + symbol + "(");
  if (name == std::string::npos) return {};
  const size_t begin = name + symbol.size() + 2, end = source.find(") {", begin);
  const std::string list = source.substr(begin, end - begin);
  return list.empty() ? 0 : 1 + static_cast<size_t>(std::count(list.begin(), list.end(), ','));
}

/// The driver reads as many arguments as the kernel has parameters, whatever it is given.
void expect_arguments_fit(const Artifact& artifact, const HostSteps& steps) {
  for (const HostStep& step : steps) {
    if (const auto* launch = std::get_if<LaunchStep>(&step)) {
      const KernelInfo& kernel = artifact.kernels[static_cast<size_t>(launch->kernel)];
      EXPECT_EQ(parameters_of(artifact.source_of(kernel.code), kernel.symbol), launch->args.size()) << kernel.symbol;
    } else if (const auto* loop = std::get_if<LoopStep>(&step)) {
      expect_arguments_fit(artifact, loop->body);
    } else if (const auto* branch = std::get_if<IfStep>(&step)) {
      expect_arguments_fit(artifact, branch->then_steps);
      expect_arguments_fit(artifact, branch->else_steps);
    }
  }
}

/// Every program has a text for a GPU; whether it is right takes one.
TEST(Cuda, HasATextForRandomPrograms) {
  Coverage coverage;
  const RunSize size = run_size(300, 1);
  for (int i = 0; i < size.programs && !::testing::Test::HasFailure(); ++i) {
    const uint64_t seed = size.seed + static_cast<uint64_t>(i);
    ProgramOptions kind;
    kind.grid_barriers = i % 3 == 2;
    const RandomProgram program = random_program("f", seed, kind, coverage);
    CompileOptions options;
    options.target = i % 2 == 0 ? "sm_90a" : "sm_75";
    try {
      const Artifact artifact = compile(*program.function, options).artifact;
      EXPECT_EQ(artifact.kernels.empty(), artifact.source.find("__global__") == std::string::npos);
      for (const Variant& variant : artifact.variants) expect_arguments_fit(artifact, variant.program.steps);
      // Takes a second a program for one in eight, a tenth of a second for the others.
      if (std::getenv("TL_RANDOM_BUILD") != nullptr)
        built_artifact(options.target, *program.function, device_flags(seed));
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what() << "\n" << print(*program.function);
    }
  }
}

TEST(Cuda, DoesWhatTheInterpreterDoes) {
  const std::string target = device_target();
  if (target.empty()) GTEST_SKIP() << "needs a CUDA device";
  Coverage coverage;
  compare_on_device(target, run_size(50, 1), {}, coverage, [](const Failure& f) { ADD_FAILURE() << f.text; });
}

TEST(Cuda, DoesWhatTheInterpreterDoesWhereProgramsWaitForEachOther) {
  const std::string target = device_target();
  if (target.empty()) GTEST_SKIP() << "needs a CUDA device";
  Coverage coverage;
  ProgramOptions options;
  options.grid_barriers = true;
  compare_on_device(target, run_size(50, 1), options, coverage, [](const Failure& f) { ADD_FAILURE() << f.text; });
}

TEST(CrashReport, NamesTheProgramThatRuns) {
  const auto crash = [](int signal, bool in_program) {
    CrashReport report(0);
    report.begin(77);
    if (!in_program) report.end();
    std::raise(signal);
  };
  EXPECT_EXIT(crash(SIGSEGV, true), ::testing::KilledBySignal(SIGSEGV), "seed 77 ends the process: SIGSEGV\n.*\\[0x");
  EXPECT_EXIT(crash(SIGTERM, false), ::testing::KilledBySignal(SIGTERM), "after seed 77: SIGTERM\n");
}

TEST(CrashReport, EndsAProgramThatRunsTooLong) {
  const auto hang = [] {
    CrashReport report(1);
    report.begin(78);
    for (;;) pause();
  };
  EXPECT_EXIT(hang(), ::testing::KilledBySignal(SIGALRM), "seed 78 ends the process: SIGALRM");
}

// A call that calls itself until the stack is full.
[[gnu::noinline]] int fill_the_stack(int depth) {
  volatile char bytes[4096];
  bytes[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : fill_the_stack(depth + 1) + bytes[0];
}

TEST(CrashReport, HasAStackOfItsOwn) {
  const auto overflow = [] {
    CrashReport report(0);
    report.begin(79);
    std::exit(fill_the_stack(0));
  };
  EXPECT_EXIT(overflow(), ::testing::KilledBySignal(SIGSEGV), "seed 79 ends the process: SIGSEGV");
}

}  // namespace
}  // namespace tl::testing
