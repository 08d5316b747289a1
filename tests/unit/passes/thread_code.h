#pragma once

// Launches of code on thread indices, before and after split-threads.

#include <string>

#include "passes/lower/split_threads.h"
#include "unit/passes/pass_run.h"

namespace tl::testing {

/// A launch with `body`, thread indices tx, ty, tz, and parameters A, B and n.
inline std::string thread_program(const std::string& threads, const std::string& body, bool lanes = true) {
  const std::string names = lanes ? "lanes=[%tx: int32, %ty: int32, %tz: int32], " : "";
  return "func @f params [%A: global int32[64], %B: global int32[64], %n: int32] {\n  launch [%bx: int32], [4], " +
         names + "threads=" + threads + " {\n" + body + "\n  }\n}\n";
}

/// The launch's body before and after the pass.
inline void expect_split(const std::string& before, const std::string& after,
                         const std::string& threads = "[8, 1, 1]") {
  const PassRun run = run_pass(split_threads, thread_program(threads, before));
  EXPECT_EQ(run.codes(), "");
  EXPECT_EQ(run.text(), normal(thread_program(threads, after, false)));
}

/// The codes of the errors for a launch of 8 threads.
inline std::string split_errors(const std::string& body) {
  return run_pass(split_threads, thread_program("[8, 1, 1]", body)).codes();
}

}  // namespace tl::testing
