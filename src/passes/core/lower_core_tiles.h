#pragma once

#include "passes/pass.h"

namespace tl {

/// Tile statements of cores become statements of one engine each: copies touch what exists, elements of the unified
/// buffer that no copy reaches are set by threads, and a product of tiles in L1 takes its operands through L0.
/// Requires: `simplify`, `clip-copies`. Ensures: a copy outside of groups has a data path (`engine_between`), regions
/// inside of both buffers, where its engine can reach them, and one between a tensor and the unified buffer is one of
/// bursts (`bursts_of`).
void lower_core_tiles(Function& function, PassContext& context);

}  // namespace tl
