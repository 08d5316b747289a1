#pragma once

#include "passes/pass.h"

namespace tl {

/// Launches of programs for AI cores become programs of a core, and their groups of engine "simt" launches of threads.
/// Requires: tile statements outside of groups are of one engine each (`lower-core-tiles`). Ensures: `core.launch`
/// around launches without a grid, each with as many threads as its group had.
void enter_cores(Function& function, PassContext& context);

}  // namespace tl
