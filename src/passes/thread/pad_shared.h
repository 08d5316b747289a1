#pragma once

#include "passes/pass.h"

namespace tl {

/// Lengthens the rows of shared tiles where that lets the threads of a warp reach different banks: a tile that is
/// written by rows and read by columns gets strides with a gap. Chosen by counting, for every access in a laid-out
/// loop, the trips that shared memory makes for a warp.
/// Requires: `infer-layouts`. Ensures: only strides of shared buffers change.
void pad_shared(Function& function, PassContext& context);

}  // namespace tl
