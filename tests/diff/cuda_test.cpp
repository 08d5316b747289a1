// What code of a GPU does is what the interpreter says, on random programs; needs a CUDA device. TL_RANDOM_PROGRAMS and
// TL_RANDOM_SEED choose others.

#include <gtest/gtest.h>

#include <cstdlib>

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
      // Takes a tenth of a second a program.
      if (std::getenv("TL_RANDOM_BUILD") != nullptr) built_artifact(options.target, *program.function);
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what() << "\n" << print(*program.function);
    }
  }
}

TEST(Cuda, DoesWhatTheInterpreterDoes) {
  const std::string target = device_target();
  if (target.empty()) GTEST_SKIP() << "needs a CUDA device";
  Coverage coverage;
  for (const Failure& f : compare_on_device(target, run_size(50, 1), {}, coverage)) ADD_FAILURE() << f.text;
}

TEST(Cuda, DoesWhatTheInterpreterDoesWhereProgramsWaitForEachOther) {
  const std::string target = device_target();
  if (target.empty()) GTEST_SKIP() << "needs a CUDA device";
  Coverage coverage;
  ProgramOptions options;
  options.grid_barriers = true;
  for (const Failure& f : compare_on_device(target, run_size(50, 1), options, coverage)) ADD_FAILURE() << f.text;
}

}  // namespace
}  // namespace tl::testing
