#pragma once

#include "passes/pass.h"

namespace tl {

/// Puts a barrier wherever threads may touch memory of the block (shared memory, tensors) that another thread touched
/// in an earlier statement, one of the two writing, with no barrier in between; only at places that all threads reach.
/// Requires: `lower-threads`, `allocate-shared` (buffers that share bytes count as one). Ensures: statements at uniform
/// control have the order that the tile program has.
void insert_barriers(Function& function, PassContext& context);

}  // namespace tl
