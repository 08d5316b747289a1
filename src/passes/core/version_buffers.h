#pragma once

#include "ir/ops.h"
#include "passes/pass.h"

namespace tl {

/// Says that an allocation has versions along its first dimension: the number of them, one an iteration of a loop.
inline constexpr const char* kVersionsHint = "versions";
/// The version that an iteration of the loop has: its number modulo theirs, in the type of the loop's variable.
Expr version_of(const For& loop, int64_t versions);

/// Buffers on a core that a pipelined loop writes anew in every iteration get as many versions as its stages, as far as
/// the memory suffices, and accumulators of the cube unit two; these also in a serial loop. Iteration i has version i
/// modulo their number, so that engines work on several iterations at once. Requires: tile statements as the user wrote
/// them. Ensures: values stay the same; such loops are serial.
void version_buffers(Function& function, PassContext& context);

}  // namespace tl
