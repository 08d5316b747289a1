// What the host's code does is what the interpreter says, on random programs. TL_RANDOM_PROGRAMS and TL_RANDOM_SEED
// choose others; TL_RANDOM_COVERAGE shows what they contain.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "differential_run.h"

namespace tl::testing {
namespace {

TEST(Host, DoesWhatTheInterpreterDoes) {
  Coverage coverage;
  const RunSize size = run_size(200, 1);
  for (const Failure& f : compare_random_programs(size, 10, coverage)) ADD_FAILURE() << f.text;
  if (std::getenv("TL_RANDOM_COVERAGE") != nullptr) std::cout << coverage.text();
  if (size.programs < 200) return;
  for (const std::string& goal : Coverage::goals(ProgramOptions::host_dtypes())) {
    EXPECT_GT(coverage.of(goal), 0) << goal << " is in no program";
  }
}

}  // namespace
}  // namespace tl::testing
