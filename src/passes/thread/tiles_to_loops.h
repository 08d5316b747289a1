#pragma once

#include "passes/pass.h"

namespace tl {

/// Tile copies and fills become parallel loops over their elements, and arrays of threads that tile operations use as
/// one tile become fragments.
/// Requires: pipelines and groups are serialised. Ensures: no `tile.copy` and no `tile.fill` is left; accesses may
/// still leave a tensor (`guard-accesses` gives them their conditions).
void tiles_to_loops(Function& function, PassContext& context);

}  // namespace tl
