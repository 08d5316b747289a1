#pragma once

#include "ir/ops.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace tl {

/// Refuses barriers of all tile programs (TL090) where these run one after another, and those (TL076) that plainly not
/// all programs reach equally often: under a condition, or in a loop of a length, that depends on the program's
/// coordinates. The interpreter finds the others.
void check_grid_barriers(const Launch& launch, const Target& target, Diagnostics& diagnostics);

}  // namespace tl
