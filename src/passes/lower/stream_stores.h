#pragma once

#include "passes/pass.h"

namespace tl {

/// Marks loops that do nothing but write consecutive elements of a tensor, with independent iterations, as ones whose
/// stores may bypass the caches. Requires lower-parallel and lower-tiles. Ensures: such a loop carries the hint
/// "stream_from_bytes", the size of the tensor from which on bypassing pays; results do not change.
void stream_stores(Function& function, PassContext& context);

}  // namespace tl
