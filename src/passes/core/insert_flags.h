#pragma once

#include "passes/pass.h"

namespace tl {

/// Orders the engines of a core where they touch each other's memory: flags between two engines, barriers within one.
/// Requires: `enter-cores` and everything that changes what statements touch; versions of buffers are along their first
/// dimension (kVersionsHint). Ensures: two statements of which one touches what the other writes are ordered, for every
/// number of iterations, none included; every set has its wait on all ways through the program.
void insert_flags(Function& function, PassContext& context);

}  // namespace tl
