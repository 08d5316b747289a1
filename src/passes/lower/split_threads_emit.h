#pragma once

#include "passes/lower/split_threads_plan.h"

namespace tl {

/// Rewrites the launch's body as planned. The lanes are loop variables afterwards, and no group is left.
void emit_split(Launch& launch, SplitPlan& plan, const Aliases& aliases);

}  // namespace tl
