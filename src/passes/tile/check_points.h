#pragma once

#include "ir/ops.h"
#include "support/diagnostic.h"

namespace tl {

/// Warns (TL122) of stores of a parallel loop that all its points, or all along one of its variables, make to one
/// element. Only stores that no condition guards and whose indices plainly do not depend on the variable; the
/// interpreter finds the others.
void check_points(const Parallel& loop, Diagnostics& diagnostics);

}  // namespace tl
