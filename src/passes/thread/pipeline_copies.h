#pragma once

#include "passes/pass.h"

namespace tl {

/// Pass "pipeline-copies": pipelined loops load the shared tiles of later iterations while they work on one, on
/// machines that copy asynchronously. What it cannot do so stays a pipelined loop.
void pipeline_copies(Function& function, PassContext& context);

}  // namespace tl
