#pragma once

#include <functional>
#include <string>
#include <vector>

#include "random_program.h"

namespace tl::testing {

/// One program that two executors disagree about, or that could not be run.
struct Failure {
  uint64_t seed = 0;
  /// What happened, the small program, and how to see it again.
  std::string text;
};

/// TL_RANDOM_PROGRAMS or `programs`; TL_RANDOM_SEED or `seed`.
struct RunSize {
  int programs;
  uint64_t seed;
};
RunSize run_size(int programs, uint64_t seed);

/// Compares host and interpreter on the programs of consecutive seeds, on two threads, `batch` programs a compilation.
/// Counts what the programs contain. Stops at TL_RANDOM_FAILURES failures, or 3; shrinks them unless
/// TL_RANDOM_NO_SHRINK is set.
std::vector<Failure> compare_random_programs(RunSize size, int batch, Coverage& coverage);
/// The same for a CUDA target on this machine's device, one program after the other; failures are reported as they are
/// found, and not made smaller. A program that ends the process, or takes longer than TL_RANDOM_LIMIT seconds, leaves
/// its seed on stderr (crash_report.h).
void compare_on_device(const std::string& target, RunSize size, const ProgramOptions& options, Coverage& coverage,
                       const std::function<void(const Failure&)>& report);
/// Flags for NVRTC beside the usual ones: one program in eight is compiled as users' are, the rest with less effort.
std::vector<std::string> device_flags(uint64_t seed);

/// Why `function` fails: a finding of the checker, a difference, or an error of the compiler; empty when all is well.
std::string why_it_fails(const Function& function, const std::map<std::string, int64_t>& settings, uint64_t seed);

/// The smallest function found that fails in the same way, in words: the text IR, both results, and how to run it.
std::string shrunk_text(const Function& function, const std::map<std::string, int64_t>& settings, uint64_t seed,
                        const std::string& reason);

}  // namespace tl::testing
