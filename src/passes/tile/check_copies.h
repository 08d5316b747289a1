#pragma once

#include "ir/function.h"
#include "support/diagnostic.h"

namespace tl {

/// Refuses (TL122) copies between parts of one buffer that provably share elements and are not the same part: the
/// elements move in no order, so which of them arrive is left open.
void check_copies(const Function& function, Diagnostics& diagnostics);

}  // namespace tl
