#pragma once

#include "passes/pass.h"

namespace tl {

/// Writes scans as parallel loops: a row a point, or, where a program's threads are more than rows, a part of a row a
/// point, with a scan of the parts' totals between.
/// Requires: nothing. Ensures: no tile.scan is left.
void lower_scans(Function& function, PassContext& context);

}  // namespace tl
