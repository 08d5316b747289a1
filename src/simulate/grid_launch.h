#pragma once

// Tile programs that wait for each other.

#include <functional>

#include "simulate/statement.h"

namespace tl::simulate {

/// How a launch begins a tile program, and runs its body.
struct ProgramRun {
  std::function<void(int64_t linear, const LaunchCode& code)> begin;
  std::function<void(const LaunchCode& code)> body;
};

/// Runs `programs` tile programs, in the order that the machine's options say, each up to its next barrier of the grid
/// in turn. Between two barriers each counts as a program of its own for races: what was done before a barrier is seen
/// by all behind it. Throws CompileError TL076 where some have ended and others wait.
void run_together(Machine& m, uint32_t site, int64_t programs, const std::function<LaunchCode()>& code,
                  const ProgramRun& run);

}  // namespace tl::simulate
