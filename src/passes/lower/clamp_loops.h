#pragma once

#include "passes/pass.h"

namespace tl {

/// Turns conditions on the variables of a parallel loop into its extents, where the whole body stands under them.
/// Requires nothing. Ensures: the same points do the same; the interior of a tile that sticks out of a tensor has no
/// condition left.
void clamp_loops(Function& function, PassContext& context);

}  // namespace tl
