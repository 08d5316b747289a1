#pragma once

#include "passes/pass.h"

namespace tl {

/// Makes comparisons of indices in 32 bits where they cannot overflow, and says of a launch whether all of its index
/// arithmetic can: the hint "index_bits", 32 or 64.
/// Requires: `lower-threads`. Ensures: nothing changes its value.
void narrow_indices(Function& function, PassContext& context);

}  // namespace tl
