#pragma once

#include "passes/pass.h"

namespace tl {

/// Makes one order of execution out of overlapping ones: pipelined loops become serial, `async.copy` becomes
/// `tile.copy` at the place where it was started, and tokens, waits and schedule slots go. Requires: nothing. Ensures:
/// no pipelined loop, no `async.copy`, no `wait`, no slot.
void serialize_pipelines(Function& function, PassContext& context);

}  // namespace tl
