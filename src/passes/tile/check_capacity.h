#pragma once

#include "ir/function.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace tl {

/// Refuses (TL091) launches whose tiles, all alive at once, are larger than `target.max_tiles`, and those whose grid is
/// known to be larger than `target.max_grid`; where only the call knows the grid, its machine looks.
void check_capacity(const Function& function, const Target& target, Diagnostics& diagnostics);

}  // namespace tl
