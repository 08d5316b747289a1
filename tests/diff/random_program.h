#pragma once

#include "program_generator.h"

namespace tl::testing {

/// A valid program and the values its symbols are meant to have.
struct RandomProgram {
  std::unique_ptr<Function> function;
  std::map<std::string, int64_t> settings;
};

/// The program of a seed: the same on every machine. It reads nothing without a value, has no races and no sum that
/// rounds, so that it has one result, bit by bit, but for elementary functions. Counts what it contains.
RandomProgram random_program(const std::string& name, uint64_t seed, const ProgramOptions& options, Coverage& coverage);

/// Replaces some copies by asynchronous ones with a wait behind, and some copies between fragments by relayouts: ops
/// that passes make and users do not write.
void make_asynchronous(Function& function, RandomSource& random);

}  // namespace tl::testing
