#pragma once

#include "passes/pass.h"

namespace tl {

/// Gives every shared buffer of a launch its place in the block's one area of shared memory: the hint "offset" of its
/// `alloc`, in bytes, and the launch's hint "shared_bytes". Buffers whose lives do not meet may share bytes.
/// Requires: `lower-threads`. Errors: TL091 (more shared memory than the target has).
void allocate_shared(Function& function, PassContext& context);

/// Bytes from the first to the last element of a shared buffer, both included.
int64_t shared_size(const BufferNode& buffer);

}  // namespace tl
