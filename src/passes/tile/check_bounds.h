#pragma once

#include "ir/function.h"
#include "support/diagnostic.h"

namespace tl {

/// Reports accesses that certainly leave an on-chip buffer: an element (TL021) or a region (TL054) whose index is a sum
/// of loop variables and constants, in statements that no condition guards.
void check_bounds(const Function& function, Diagnostics& diagnostics);

}  // namespace tl
