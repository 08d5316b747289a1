#pragma once

#include "passes/pass.h"

namespace tl {

/// Starts loads of vectors that wait for nothing before the reduction over threads that they stand behind, so that the
/// memory works while threads wait for each other.
/// Requires: `lower-threads`. Ensures: statements keep their order but for these loads, which move over nothing that
/// writes global memory.
void advance_loads(Function& function, PassContext& context);

}  // namespace tl
