#pragma once

#include "analysis/uniform.h"
#include "support/diagnostic.h"

namespace tl {

/// Whether the threads of a group run the op together: barriers, parallel loops, groups, and tile operations between
/// tiles. A tile operation on a thread's own buffer (local, var) is no more collective than a store is.
bool is_collective(const Op& op);

/// Reports collective ops that only some threads reach (TL076; TL090 for a barrier of a part of the threads, which some
/// machines have) and those that are not the same for all threads (TL078).
void check_collectives(const Launch& launch, const Uniformity& uniformity, Diagnostics& diagnostics);

}  // namespace tl
