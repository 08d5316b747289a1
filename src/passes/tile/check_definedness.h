#pragma once

#include "ir/function.h"
#include "support/diagnostic.h"

namespace tl {

/// Warns (TL121) of on-chip buffers that are read, or accumulated into, though nothing ever gives them a value.
void check_definedness(const Function& function, Diagnostics& diagnostics);

}  // namespace tl
