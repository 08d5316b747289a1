#pragma once

#include "passes/pass.h"

namespace tl {

/// Tile statements of cores become statements of one engine each: copies touch what exists, elements of the unified
/// buffer that no copy reaches are set by threads, and a product of tiles in L1 takes its operands through L0.
/// Requires: `simplify`. Ensures: a copy outside of groups has a data path (`engine_between`), regions inside of both
/// buffers, and at most two dimensions that are not contiguous on both sides.
void lower_core_tiles(Function& function, PassContext& context);

}  // namespace tl
