#pragma once

#include "passes/pass.h"

namespace tl {

/// Gives every buffer on a core its place: the hint "offset" of its allocation, in bytes of its memory; the hint
/// "scratch" of functions of threads, which use one place one after the other; "bytes" of the program, for the unified
/// buffer as a whole. Rows of several that engines move are aligned. Where a memory does not suffice otherwise,
/// buffers that never live together share bytes. Requires: `allocate-shared`. Error: TL091 where a
/// memory does not suffice.
void place_core_buffers(Function& function, PassContext& context);

}  // namespace tl
