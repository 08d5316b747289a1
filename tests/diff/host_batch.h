#pragma once

#include <memory>
#include <vector>

#include "runtime/artifact.h"

namespace tl::testing {

/// Compiles the sources of artifacts of the host target as one program, with what they share of the prelude once, and
/// gives each of them its binary: most of the time of compiling a small kernel goes into starting the compiler and
/// reading the prelude. Their functions have different names. `optimisation` stands for the flag -O of the host's
/// compiler.
void compile_together(const std::vector<std::shared_ptr<Artifact>>& artifacts, const char* optimisation);

}  // namespace tl::testing
