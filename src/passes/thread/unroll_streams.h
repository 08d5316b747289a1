#pragma once

#include "passes/pass.h"

namespace tl {

/// Says of loops that stream global memory into registers how many iterations make one, so that as much is asked
/// for at a time as memory can serve, and no more: the hint "unroll" of a serial loop.
/// Requires: `lower-threads`. Ensures: the program's meaning is as before; only hints change.
void unroll_streams(Function& function, PassContext& context);

}  // namespace tl
